import { StartError } from '../../../../platform/config/start-error.ts';
import { EVERY_CELL, regexOf, routesOf } from './envoy-routes.ts';
import {
  AWAY_HEADERS,
  awayBody,
  awayPage,
  PATTERNS,
  RETRY_AFTER_SECONDS,
  type Rendered,
  type Routing,
} from './routing.ts';

const TYPE = 'type.googleapis.com/envoy';
const MANAGER = 'extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const TLS = 'extensions.transport_sockets.tls.v3.DownstreamTlsContext';

/**
 * The configuration of Envoy 1.2x, as JSON, which Envoy reads as it reads YAML. Envoy computes no hash of a
 * header, so it cannot read the map of moved keys: throws StartError once it has a line.
 */
export function renderEnvoy(routing: Routing): Rendered {
  if (routing.keysAndTokens.size > 0)
    throw new StartError(
      `Envoy cannot look up the moved keys and tokens of ${routing.moved}: take HAProxy or nginx.`,
    );
  const { cells } = routing;
  const configuration = {
    // Envoy refuses a pattern of more than 100 steps by itself; that of shared paths has some.
    layered_runtime: {
      layers: [{ name: 'patterns', static_layer: { 're2.max_program_size.error_level': 1_000 } }],
    },
    static_resources: {
      listeners: [listener(routing)],
      clusters: [
        ...cells.map((cell) => cluster(routing, cell.name, cell.webs)),
        cluster(
          routing,
          EVERY_CELL,
          cells.flatMap(({ webs }) => webs),
        ),
      ],
    },
  };
  return {
    'envoy.json': `${JSON.stringify(configuration, null, 2)}\n`,
    // As Envoy's format of texts has it.
    'away.envoy.html': awayPage().replaceAll('%', '%%'),
  };
}

function listener(routing: Routing) {
  const { certificate, listen } = routing;
  const tls = {
    '@type': `${TYPE}.${TLS}`,
    common_tls_context: {
      alpn_protocols: ['h2', 'http/1.1'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
      tls_certificates: [
        { certificate_chain: { filename: certificate }, private_key: { filename: certificate } },
      ],
    },
  };
  return {
    name: 'public',
    address: addressOf(listen),
    per_connection_buffer_limit_bytes: 32_768,
    filter_chains: [
      {
        transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: tls },
        filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager(routing) }],
      },
    ],
  };
}

function manager(routing: Routing) {
  return {
    '@type': `${TYPE}.${MANAGER}`,
    stat_prefix: 'public',
    // Appends the address of the connection to X-Forwarded-For; none is believed before it.
    use_remote_address: true,
    xff_num_trusted_hops: 0,
    merge_slashes: true,
    request_headers_timeout: '10s',
    stream_idle_timeout: '90s',
    common_http_protocol_options: { idle_timeout: '60s' },
    access_log: [{ name: 'envoy.access_loggers.stdout', typed_config: LOG }],
    local_reply_config: localReplies(routing),
    route_config: {
      virtual_hosts: [{ name: 'cells', domains: ['*'], routes: routesOf(routing) }],
      max_direct_response_body_size_bytes: 32_768,
    },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': `${TYPE}.extensions.filters.http.router.v3.Router` },
      },
    ],
  };
}

/** Neither the path nor a header: they hold tokens and keys. */
const LOG = {
  '@type': `${TYPE}.extensions.access_loggers.stream.v3.StdoutAccessLog`,
  log_format: {
    text_format_source: {
      inline_string:
        '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT% %START_TIME% %REQ(:METHOD)% %RESPONSE_CODE% %BYTES_SENT% bytes ' +
        '%DURATION% ms %UPSTREAM_CLUSTER% %UPSTREAM_HOST% %RESPONSE_FLAGS%\n',
    },
  },
};

/** Whatever Envoy says itself of a cell that is away is a 503; what the cell says is passed on. */
function localReplies({ folder }: Routing) {
  const header = (key: string, value: string) => ({
    header: { key, value },
    append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
  });
  const headers = [
    ...Object.entries(AWAY_HEADERS).map(([name, value]) => header(name, value)),
    header('X-RateLimit-Reset', '%START_TIME(%s)%'),
    header('X-Request-Id', '%REQ(X-REQUEST-ID)%'),
  ];
  const isAway = {
    status_code_filter: {
      comparison: { op: 'GE', value: { default_value: 502, runtime_key: 'cells_away_from' } },
    },
  };
  const ofApi = regexOf(`(?i)${PATTERNS.api.replace('(/|$)', '([/?].*)?')}`);
  const isApi = { header_filter: { header: { name: ':path', string_match: ofApi } } };
  const body = awayBody({
    timestamp: '%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)%',
    path: '%PATH(NQ)%',
    id: '%REQ(X-REQUEST-ID)%',
  });
  const reply = (text_format_source: object, type: string) => ({
    status_code: 503,
    body_format_override: { text_format_source, content_type: type },
  });
  return {
    mappers: [
      {
        filter: { and_filter: { filters: [isAway, isApi] } },
        headers_to_add: headers,
        ...reply({ inline_string: body }, 'application/json; charset=utf-8'),
      },
      {
        filter: isAway,
        headers_to_add: headers,
        ...reply({ filename: `${folder}/away.envoy.html` }, 'text/html; charset=utf-8'),
      },
    ],
  };
}

function cluster({ connections }: Routing, name: string, webs: readonly string[]) {
  return {
    name,
    type: 'STRICT_DNS',
    connect_timeout: '1s',
    lb_policy: 'LEAST_REQUEST',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: webs.map((web) => ({ endpoint: { address: addressOf(web) } })) }],
    },
    // Without this Envoy sends requests to all of them once more than half are unhealthy.
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    health_checks: [
      {
        timeout: '1s',
        interval: '2s',
        // Without requests Envoy would look once a minute.
        no_traffic_interval: '2s',
        unhealthy_threshold: 2,
        healthy_threshold: 1,
        http_health_check: { path: '/readyz' },
      },
    ],
    circuit_breakers: {
      thresholds: [
        {
          max_connections: connections,
          max_requests: connections,
          max_pending_requests: Math.ceil(connections / (RETRY_AFTER_SECONDS * 2)),
        },
      ],
    },
  };
}

function addressOf(hostPort: string) {
  const at = hostPort.lastIndexOf(':');
  // An IPv6 address stands here without its brackets.
  const address = hostPort.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return { socket_address: { address, port_value: Number(hostPort.slice(at + 1)) } };
}
