import type { ExportFormat } from '../../../domain/exports/file.ts';
import type { Right } from '../../../domain/people/rights/roles.ts';
import type { Membership, Session } from '../../../domain/people/sessions/store.ts';
import { byPerson } from '../../../domain/people/sessions/record.ts';
import type { Visitor } from '../../../domain/people/sessions/sign-in.ts';
import type { Actor, Context } from '../../../platform/context.ts';
import type { Inline } from '../../../platform/pages/assets.ts';
import type { Html } from '../../../platform/pages/html.ts';
import type { DeskTexts } from './texts.ts';

/** A request to the desk, without Express. */
export interface Visit extends Visitor {
  readonly ctx: Context;
  readonly texts: DeskTexts;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** A form's fields; what a form has not is empty. */
  readonly field: (name: string) => string;
  readonly query: URLSearchParams;
  /** What a form with a file sends; null: no file was chosen, or the route takes none. */
  readonly file: Buffer | null;
}

/** A request of who is signed in. */
export interface SignedIn extends Visit {
  readonly session: Session;
}

/** A request of a merchant's person, on a page of the merchant. */
export interface AtMerchant extends SignedIn {
  readonly merchant: Membership;
}

/** What the browser keeps from a response on; null: no more. */
export interface Kept {
  readonly session?: string | null;
  readonly device?: string;
}

export interface Page {
  readonly title: string;
  /** What the page begins with, its heading within; absent: the title is the heading. */
  readonly head?: Html;
  readonly main: Html;
  /** Default: 200. */
  readonly status?: number;
  /** It loads itself again after so long; absent: it does not. */
  readonly refreshSeconds?: string;
  readonly kept?: Kept;
  /** What runs on it; the page works without. */
  readonly scripts?: readonly Inline[];
  /** They read a page of the desk again. */
  readonly mayFetch?: boolean;
}

/** Leads on with a GET, so that a reload posts nothing again. */
export interface Redirect {
  readonly to: string;
  readonly kept?: Kept;
}

/** A file, which a browser saves; its page stays. */
export interface Download {
  /** The name has letters, digits, dots and hyphens alone. */
  readonly file: { readonly name: string; readonly format: ExportFormat; readonly hasHeader: boolean };
  readonly text: AsyncIterable<string>;
  /** Called once all is sent, or the browser has left. */
  readonly onEnd: () => void;
}

/** A document of its own, which pages of the desk show in a frame, and nobody else. */
export interface Framed {
  readonly html: string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

/** `missing`: the same page for what does not exist and for what is not theirs. */
export type DeskReply = Page | Redirect | Download | Framed | 'missing';

interface Declared<V extends Visit> {
  /** Unique: the name of its rate limit. */
  readonly name: string;
  readonly method: 'get' | 'post';
  /** Below /dashboard, with `:name` parameters. */
  readonly path: string;
  /**
   * Requests per 60 s and person, before RATE_LIMIT_SCALE; of who is not signed in, by known device or
   * address.
   */
  readonly perMinute: number;
  /** The form sends a file, of at most 100 kB, and nothing else. */
  readonly takesFile?: true;
  handle(visit: V): Promise<DeskReply>;
}

/** For everybody. */
type PublicRoute = Declared<Visit> & {
  readonly access: 'anybody';
  /** The form's `email` names an account: only a device that is known for it has limits of its own. */
  readonly namesAccount?: true;
};
/** The second factor must have been proven within ten minutes. */
interface MayBeFresh {
  readonly isFresh?: true;
}
/** `begun`: the password was right, and the second factor may be still to come. `person`: it was proven. */
type PersonRoute = Declared<SignedIn> & MayBeFresh & { readonly access: 'begun' | 'person' };
/** For the people of the merchant that the path names as `:merchant` whose role includes the right. */
type MerchantRoute = Declared<AtMerchant> &
  MayBeFresh & {
    readonly access: 'member';
    readonly right: Right;
    /** A form that changes nothing: it is served at a suspended merchant as well. */
    readonly isRead?: true;
  };

/** A page of the desk, or a form of it, as a value. */
export type DeskRoute = PublicRoute | PersonRoute | MerchantRoute;

/** Requests per minute of what a person does by hand. */
export const DESK_PER_MINUTE = 120;
/** Of what is guessed, mailed or hashed. */
export const COSTLY_PER_MINUTE = 10;

/** A path of the desk that a page may lead back to; the home page for anything else. */
export function ownPath(text: string | null): string {
  return text !== null && /^\/dashboard(?:\/[\w-]{1,64}){0,5}$/.test(text) ? text : '/dashboard';
}

/** Who does it, for the audit log. */
export const actorOf = ({ session, address }: AtMerchant): Actor => byPerson(session.person_id, { address });

/** A context in which the person is who acts: what they change is in the audit log under their name. */
export const acting = (visit: AtMerchant): Context => ({ ...visit.ctx, actor: actorOf(visit) });
