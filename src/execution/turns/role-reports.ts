/**
 * The roles of one attempt in its organization: which role each conversation has, and the reports about the main one.
 * A report that can't be written is noted once, and the attempt continues.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import { cutAtWord } from '../../base/text.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { PinnedOrganization } from '../../protocol/contracts/organization-contract.ts';
import type { AssessmentRecord, SaluteReport } from '../../protocol/contracts/salute-contract.ts';
import type { TurnRecord } from '../../protocol/turn.ts';
import type { Check } from '../../steering/check.ts';
import type { RoleWatch } from '../../steering/choose-role.ts';
import { foldRole, NO_ROLE } from '../../steering/choose-role.ts';
import type { ReportFacts } from '../../steering/report-facts.ts';
import { foldReportFacts, NO_REPORT_FACTS } from '../../steering/report-facts.ts';
import type { LastReport, ReportSubject } from '../../steering/salute.ts';
import { assess, isReportDue, lastReportOf, makeReport } from '../../steering/salute.ts';
import type { WatchHistory } from '../../steering/watch-history.ts';

export type RoleReportsPorts = {
  readonly clock: Clock;
  readonly organization: PinnedOrganization;
  /** The name of the attempt's role. Null: it has none. */
  readonly name: string | null;
  readonly number: number;
  /** The task and the work folder. Called when a report is written. */
  readonly about: () => Promise<{ readonly task: string; readonly folder: string }>;
  readonly note: (note: AttemptNote) => Promise<void>;
  readonly write: (
    role: string,
    record: { readonly latest: SaluteReport } | { readonly assessment: AssessmentRecord },
    at: number,
  ) => Promise<void>;
  /** Takes the next message of a watch to a role, if there is one. `since`: earlier ones are not for this attempt. */
  readonly takeMessage?: (role: string, since: number) => Promise<void>;
};

const CONVERSATIONS_MAX = 200;
const MESSAGE_CHARS_MAX = 300;

type Member = { readonly watch: RoleWatch; readonly number: number; readonly pace: string };

export class RoleReports {
  readonly #ports: RoleReportsPorts;
  readonly #startedAt: number;
  /** The least recently active one comes first. */
  readonly #members = new Map<string, Member>();
  #facts: ReportFacts = NO_REPORT_FACTS;
  #last: LastReport | null = null;
  #subject: ReportSubject | null = null;
  #isAssessed = false;
  #hasFailed = false;

  constructor(ports: RoleReportsPorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
  }

  /** The role of the turn's conversation. */
  roleOf(turn: TurnRecord): RoleWatch {
    const { organization, name } = this.#ports;
    const before = this.#members.get(turn.conversation);
    if (before?.number === turn.number) return before.watch; // a retry
    const watch = foldRole(before?.watch ?? NO_ROLE, turn, organization, name);
    this.#members.delete(turn.conversation); // re-inserted as the most recent one
    this.#members.set(turn.conversation, { watch, number: turn.number, pace: before?.pace ?? '' });
    const [oldest] = this.#members.keys();
    if (this.#members.size > CONVERSATIONS_MAX && oldest !== undefined)
      this.#members.delete(oldest);
    if (turn.kind === 'main') this.#facts = foldReportFacts(this.#facts, turn);
    return watch;
  }

  /** Call it when the turn was watched. */
  async take(turn: TurnRecord, history: WatchHistory, check: Check | null): Promise<void> {
    const member = this.#members.get(turn.conversation);
    const role = member?.watch.role ?? null;
    if (member === undefined || role === null) return;
    await this.#notePace(turn, history, member);
    if (turn.kind !== 'main') return;
    const { organization, number } = this.#ports;
    this.#subject = {
      ...{ organization: organization.id, role, domain: member.watch.domain, number },
      ...{ task: '', folder: '', model: turn.model, startedAt: this.#startedAt },
      ...{ history, facts: this.#facts },
    };
    await this.#report(this.#subject);
    if (check !== null) await this.#assess(this.#subject, check);
    await this.#write(role.id, async () => this.#ports.takeMessage?.(role.id, this.#startedAt));
  }

  /** Reports the end of the work, if the role wants that. */
  async end(ended: 'complete' | 'aborted'): Promise<void> {
    if (this.#subject === null) return;
    const { doctrine } = this.#subject.role;
    const isWanted = ended === 'complete' ? doctrine.reportOnCompletion : doctrine.reportOnFailure;
    if (isWanted) await this.#report({ ...this.#subject, ended });
  }

  async #notePace(turn: TurnRecord, { pace, turn: nth }: WatchHistory, member: Member) {
    if (pace === null) return;
    const { role, level } = pace;
    const now = `${role} ${level}`;
    if (member.pace === now) return;
    this.#members.set(turn.conversation, { ...member, pace: now });
    const { conversation } = turn;
    await this.#ports.note({ kind: 'pace', conversation, turn: nth, role, level });
  }

  async #report(subject: ReportSubject): Promise<void> {
    const now = this.#ports.clock.now();
    const draft = makeReport(subject, now);
    const next = lastReportOf(draft);
    if (!isReportDue(this.#last, next, subject.role.doctrine.saluteIntervalTurns)) return;
    this.#last = next;
    await this.#write(subject.role.id, async (write) => {
      const about = await this.#ports.about();
      await write({ latest: makeReport({ ...subject, ...about }, now) }, now);
    });
  }

  /** A role that was found to be well again is assessed once more. */
  async #assess(subject: ReportSubject, { found }: Check): Promise<void> {
    if (found.length === 0 && !this.#isAssessed) return;
    this.#isAssessed = found.length > 0;
    const now = this.#ports.clock.now();
    const anomalies = found.map(({ anomaly }) => anomaly);
    const assessment = assess(makeReport(subject, now), anomalies, now);
    await this.#write(subject.role.id, (write) => write({ assessment }, now));
  }

  async #write(
    role: string,
    work: (
      write: (record: Parameters<RoleReportsPorts['write']>[1], at: number) => Promise<void>,
    ) => Promise<void>,
  ): Promise<void> {
    try {
      await work((record, at) => this.#ports.write(role, record, at));
    } catch (error) {
      // Reports are for others. The work of the agent must not depend on them.
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      const message = cutAtWord(describeError(error), MESSAGE_CHARS_MAX);
      await this.#ports.note({ kind: 'report-failed', message });
    }
  }
}
