import { expect } from 'chai';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import { SANDBOX } from '../../support/endpoints.ts';

const ROUTES = deskRoutes(
  { production: false },
  { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX },
);

/**
 * Which right each form of a merchant needs, below `/dashboard/:merchant`, written by hand: other tests go
 * through the routes by what they say of themselves, and pass as well where one says less.
 */
const FORMS = {
  'payments:read': `
    /payments/views
    /payments/views/:view/rename
    /payments/views/:view/delete
    /exports`,
  'audit:read': '/audit/export',
  'payments:write': `
    /payments/:payment/cancel
    /links
    /links/:link
    /links/:link/archive`,
  'refunds:write': `
    /payments/:payment/refund
    /payments/:payment/refund/preview
    /payments/:payment/refunds/:refund/announce
    /payments/:payment/refunds/:refund/wallet
    /payments/:payment/sale`,
  'sandbox:write': `
    /payments/:payment/simulate
    /developers/stories`,
  'checkout:write': `
    /settings/time-zone
    /settings/methods
    /settings/appearance
    /settings/appearance/logo
    /settings/appearance/logo/remove
    /tills
    /tills/:till/devices
    /tills/:till/devices/:device/end
    /tills/:till/pin
    /tills/:till/end`,
  'keys:write': `
    /developers/keys/new
    /developers/keys/:key/revoke
    /developers/keys/:key/addresses`,
  'webhooks:write': `
    /developers/endpoints/new
    /developers/endpoints/:endpoint
    /developers/endpoints/:endpoint/pause
    /developers/endpoints/:endpoint/resume
    /developers/endpoints/:endpoint/switch-on
    /developers/endpoints/:endpoint/delete
    /developers/deliveries/:delivery/redeliver
    /developers/replay
    /developers/check`,
  'webhooks:secrets': '/developers/endpoints/:endpoint/secret',
  'people:write': `
    /people/invite
    /people/:person/role
    /people/:person/remove
    /people/invitations/:invitation/withdraw`,
  'settings:write': `
    /settings/methods/accept
    /settings/policy
    /settings/mails/:mail/:language
    /settings/mails/:mail/:language/reset
    /settings/mails/:mail/:language/test
    /settings/wallets
    /settings/wallets/:wallet/confirm
    /settings/wallets/:wallet/retire`,
};

/**
 * What asks for the second factor again. A large refund and a changed mail text ask by what is in the form:
 * their own tests hold them.
 */
const FRESH = `
  post /dashboard/account/passkeys
  post /dashboard/account/passkeys/:passkey/remove
  get /dashboard/:merchant/developers/keys/new
  post /dashboard/:merchant/developers/keys/new
  post /dashboard/:merchant/developers/keys/:key/revoke
  get /dashboard/:merchant/developers/keys/:key/addresses
  post /dashboard/:merchant/developers/keys/:key/addresses
  get /dashboard/:merchant/developers/endpoints/:endpoint/secret
  post /dashboard/:merchant/developers/endpoints/:endpoint/secret
  post /dashboard/:merchant/people/invite
  post /dashboard/:merchant/people/:person/role
  post /dashboard/:merchant/people/:person/remove
  post /dashboard/:merchant/people/invitations/:invitation/withdraw
  post /dashboard/:merchant/settings/methods/accept
  post /dashboard/:merchant/settings/policy
  post /dashboard/:merchant/settings/mails/:mail/:language/reset
  post /dashboard/:merchant/settings/wallets
  post /dashboard/:merchant/settings/wallets/:wallet/confirm
  post /dashboard/:merchant/settings/wallets/:wallet/retire`;

/** Forms of people who are not signed in yet; all others that are of no merchant need a person. */
const BEFORE = `
  anybody /dashboard/sign-in
  anybody /dashboard/invitations/:token
  anybody /dashboard/invitations/:token/passkey
  anybody /dashboard/passkey
  anybody /dashboard/forgotten
  anybody /dashboard/passwords/:token
  anybody /dashboard/links/:token
  begun /dashboard/second-factor
  begun /dashboard/second-factor/passkey
  begun /dashboard/set-up
  begun /dashboard/set-up/passkey
  begun /dashboard/sign-out`;

const linesOf = (text: string) => text.trim().split(/\s*\n\s*/);

describe('the routes of the desk, held beside lists', () => {
  it('need of each form of a merchant the right that is written here', () => {
    const written = Object.entries(FORMS).flatMap(([right, paths]) =>
      linesOf(paths).map((path) => `${right} /dashboard/:merchant${path}`),
    );
    const found = ROUTES.flatMap((route) =>
      route.access === 'member' && route.method === 'post' ? [`${route.right} ${route.path}`] : [],
    );
    expect(found).to.have.members(written);
  });

  it('ask for a fresh factor where it is written here', () => {
    const found = ROUTES.flatMap((route) =>
      'isFresh' in route && route.isFresh ? [`${route.method} ${route.path}`] : [],
    );
    expect(found).to.have.members(linesOf(FRESH));
  });

  it('take forms of who is not signed in where it is written here', () => {
    const found = ROUTES.flatMap(({ access, method, path }) =>
      method === 'post' && (access === 'anybody' || access === 'begun') ? [`${access} ${path}`] : [],
    );
    expect(found).to.have.members(linesOf(BEFORE));
  });
});
