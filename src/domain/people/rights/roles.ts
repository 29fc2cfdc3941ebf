import { PERMISSIONS, type Permission } from '../../api/endpoint.ts';

export const ROLES = ['owner', 'developer', 'support', 'read-only'] as const;
export type Role = (typeof ROLES)[number];

/** What a person may do at a merchant: what an API key may, and what no key can. */
export type Right =
  | Permission
  | 'keys:write'
  | 'people:read'
  | 'people:write'
  | 'audit:read'
  /** Wallets, accepted methods and policies: where money goes, and what counts as paid. */
  | 'settings:write';

const READS: readonly Right[] = ['payments:read', 'webhooks:read', 'wallets:read', 'people:read'];

/** Who may do what: the whole of it. */
export const RIGHTS_OF = {
  owner: [...PERMISSIONS, 'keys:write', 'people:read', 'people:write', 'audit:read', 'settings:write'],
  developer: [
    ...READS,
    'payments:write',
    'webhooks:write',
    'webhooks:secrets',
    'checkout:write',
    'sandbox:write',
    'keys:write',
  ],
  support: [...READS, 'payments:write', 'refunds:write'],
  'read-only': READS,
} as const satisfies Record<Role, readonly Right[]>;

/** Whether a role includes a right. */
export function may(role: Role, right: Right): boolean {
  return (RIGHTS_OF[role] as readonly Right[]).includes(right);
}

/** The role that a form or a command names; null: there is none. */
export function roleNamed(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}
