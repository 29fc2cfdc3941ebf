import { PATTERNS, TILL_COOKIE, type Routing } from './routing.ts';

/** The format of the access log. */
export const LOG = `# Keys are in headers and tokens in paths: of a request its address, method, beginning of the path and outcome
# are logged.
map $request_uri $logged_path {
    default "-";
    "~${PATTERNS.logged}" $1;
}
log_format cells '$remote_addr $time_iso8601 $request_method $logged_path $server_protocol $status '
    '$body_bytes_sent \${request_time}s $cell $upstream_addr $upstream_status \${upstream_response_time}s';`;

/** Before the first map: so that all that was moved fits. */
export function sizesOf({ keysAndTokens: { size } }: Routing): string {
  return `map_hash_bucket_size 128;\nmap_hash_max_size ${2 ** Math.ceil(Math.log2(size + 1_024) + 1)};`;
}

/** The variables of a request: `$cell`, and what a 503 says of it. */
export function mapsOf(routing: Routing): string {
  const { cells, keysAndTokens, folder } = routing;
  const hasMoved = keysAndTokens.size > 0;
  return `# What was sent that says the cell: the key, the token of a page, or that of a till's device.
map $http_cookie $till_token {
    default "";
    "~(?:^|;\\s*)${TILL_COOKIE}=([\\w.-]+)" $1;
}
map $uri $sent {
    default "";
    "~*${PATTERNS.page}" $2;
    "~*${PATTERNS.api}" $http_x_api_key;
    "~*${PATTERNS.till}" $till_token;
}
map $sent $of_sent {
    default "";
    "~${PATTERNS.key}" $2;
    "~${PATTERNS.token}" $1;
}
map $uri $of_path {
    default "";
    "~*${PATTERNS.desk}" $1;
}
# With a slash in front, because a cell may be called as a word of maps: default, include, volatile.
map "/$of_sent$of_path" $named {
    default ${routing.default.name};
${cells.map(({ name }) => `    /${name} ${name};`).join('\n')}
}
${hasMoved ? movedIn(folder) : 'map $named $cell {\n    default $named;\n}'}
map $request_uri $away_path {
    default "";
    "~^([A-Za-z0-9._~%/:@!+,;=-]*)" $1;
}
map $time_iso8601 $away_at {
    default $time_iso8601;
    "~^(.+)[+]00:00$" $1.000Z;
}
map $http_x_request_id $away_id {
    default $request_id;
    "~${PATTERNS.requestId}" $http_x_request_id;
}
map $msec $away_reset {
    default $msec;
    "~^([0-9]+)" $1;
}`;
}

/** By its SHA-256: no part of a key or token is on the proxy's disk. */
const movedIn = (folder: string) => `perl_set $lookup 'sub {
    require Digest::SHA;
    my $sent = shift->variable("sent");
    return defined $sent ? Digest::SHA::sha256_hex($sent) : "";
}';
map $lookup $cell {
    default $named;
    include ${folder}/moved.nginx.map;
}`;
