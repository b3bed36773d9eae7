/**
 * Who has access to the dashboard, kept in a file of the home. Every change is on the disk before it counts: a link that
 * was used stays used after a crash, and the next owner knows the browsers of this one.
 */
import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import { DashboardFile } from '../../protocol/dashboard-access.ts';
import type {
  DashboardAccess,
  DashboardRole,
  EndedAccess,
  PageSession,
  QuestionLink,
} from '../../protocol/dashboard-access.ts';
import * as state from './access-state.ts';
import { findByToken, newToken } from './access-tokens.ts';

const FILE_BYTES_MAX = 200_000;

export type Entered = {
  readonly session: PageSession;
  /** The cookie, and the key that only the page itself keeps. */
  readonly cookie: string;
  readonly pageKey: string;
};

export class AccessStore {
  readonly #path: string;
  readonly #clock: Clock;
  #access: DashboardAccess;
  /** Changes happen one after another. */
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(path: string, clock: Clock, access: DashboardAccess) {
    this.#path = path;
    this.#clock = clock;
    this.#access = access;
  }

  /** A file that can't be read gives access to nothing. */
  static async open(path: string, clock: Clock): Promise<AccessStore> {
    const file = await readSmallFile(path, FILE_BYTES_MAX);
    const found = DashboardFile.safeParse(file.kind === 'text' ? parseJson(file.text) : undefined);
    return new AccessStore(path, clock, found.success ? found.data : state.NO_ACCESS);
  }

  /** Without what has expired. */
  get access(): DashboardAccess {
    return state.withoutExpired(this.#access, this.#clock.now());
  }

  /** Remembers where the page is. */
  setAddress(port: number, publicUrl: string | null): Promise<void> {
    return this.#change((access) => ({
      access: { ...access, port, publicUrl },
      result: undefined,
    }));
  }

  /** A token that opens the dashboard once. */
  addLink(role: DashboardRole): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const token = newToken();
    return this.#change((access, now) => ({
      access: state.withLink(access, token, role, now),
      result: { token, expiresAt: now + state.LINK_MS },
    }));
  }

  /** A token that shows one question. */
  addQuestionLink(question: {
    readonly run: string;
    readonly key: string;
  }): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const token = newToken();
    return this.#change((access, now) => ({
      access: state.withQuestionLink(access, token, question, now),
      result: { token, expiresAt: now + state.QUESTION_LINK_MS },
    }));
  }

  /** Uses a link. Undefined: there is no such link, it was used, or it is too old. */
  enter(token: string): Promise<Entered | undefined> {
    const [cookie, pageKey] = [newToken(), newToken()];
    const id = Buffer.from(newToken(), 'base64url').toString('hex').slice(0, 8);
    return this.#change((access, now) => {
      const entered = state.enter(access, token, { id, cookie, pageKey }, now);
      if (entered === undefined) return { access, result: undefined };
      return { access: entered.access, result: { session: entered.session, cookie, pageKey } };
    });
  }

  findSession(cookie: string, pageKey: string): PageSession | undefined {
    return state.findSession(this.#access, cookie, pageKey, this.#clock.now());
  }

  findQuestion(token: string): QuestionLink | undefined {
    return findByToken(this.access.questions, token);
  }

  endSession(id: string): Promise<void> {
    return this.#change((access) => ({
      access: { ...access, sessions: access.sessions.filter((one) => one.id !== id) },
      result: undefined,
    }));
  }

  endAll(): Promise<EndedAccess> {
    return this.#change((access) => ({
      access: { ...access, links: [], questions: [], sessions: [] },
      result: {
        sessions: access.sessions.length,
        links: access.links.length + access.questions.length,
      },
    }));
  }

  #change<Result>(
    how: (
      access: DashboardAccess,
      now: number,
    ) => { readonly access: DashboardAccess; readonly result: Result },
  ): Promise<Result> {
    const changed = this.#changing.then(async () => {
      const before = this.access;
      const { access, result } = how(before, this.#clock.now());
      if (access !== before) {
        await writeFileAtomic(this.#path, `${JSON.stringify(access, null, 2)}\n`);
        this.#access = access;
      }
      return result;
    });
    this.#changing = changed.catch(() => undefined); // the caller hears of it
    return changed;
  }
}
