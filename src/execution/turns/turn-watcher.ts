/** Watches the turns of one attempt while it runs, and records what it finds. It never disturbs the attempt. */
import { describeError } from '../../base/errors.ts';
import { Serial } from '../../base/serial.ts';
import { cutAtWord } from '../../base/text.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { AnomalyNote, PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import type { TurnRecord } from '../../protocol/turn.ts';
import type { SteeringChannel, SteeringRow } from '../../reports/steering-report.ts';
import type { Anomaly } from '../../steering/anomaly.ts';
import type { Check } from '../../steering/check.ts';
import type { Injector } from '../../steering/injector.ts';
import { NO_INJECTOR } from '../../steering/injector.ts';
import type { RoleWatch } from '../../steering/choose-role.ts';
import { NO_ROLE } from '../../steering/choose-role.ts';
import type { HealthyPeak } from '../../steering/learned-thresholds.ts';
import { needsLearned, withLearned } from '../../steering/learned-thresholds.ts';
import { needsNumbers, withNumbers } from '../../steering/promotion.ts';
import { policyFor } from '../../steering/role-policy.ts';
import { steeringText } from '../../steering/steering-message.ts';
import { isSuspect, restsOnTree } from '../../steering/tree-look.ts';
import type { DomainCounts } from '../../steering/task-domain.ts';
import { countDomain, mainDomain } from '../../steering/task-domain.ts';
import type { ConversationWatch, WatchTerms } from '../../steering/watch.ts';
import { checkAfterChange, NEW_WATCH, watchTurn } from '../../steering/watch.ts';
import type { RoleReports } from './role-reports.ts';

export type TurnWatcherPorts = {
  readonly run: string;
  /** The key of the attempt. */
  readonly attempt: string;
  readonly steering: PinnedSteering;
  /** The name of the attempt's role. Null: it has none. */
  readonly role: string | null;
  readonly note: (note: AttemptNote) => Promise<void>;
  /** A hash of the work tree. Null: it is not known. */
  readonly fingerprint: () => Promise<string | null>;
  readonly injector?: Injector;
  /** Absent: no organization is active. */
  readonly reports?: RoleReports;
  /** The numbers of earlier runs, and how a message reaches this agent. For detectors in the mode `auto`. */
  readonly numbers?: () => Promise<{
    readonly rows: readonly SteeringRow[];
    readonly channel: SteeringChannel;
  }>;
  /** How often healthy work repeats itself. For thresholds that nothing has set. */
  readonly healthy?: () => Promise<readonly HealthyPeak[]>;
  /** Pauses the run, for an agent that does not react to an emergency. */
  readonly pause?: () => Promise<void>;
};

const CONVERSATIONS_MAX = 200;
/** For one attempt. An agent that is stuck for hours must not fill the journal. */
const NOTES_MAX = 50;
const WORDS_CHARS_MAX = 300;
const TREES_MAX = 200;

const NO_NUMBERS = { rows: [], channel: 'none' } as const;

/** What became of an anomaly that the agent is to hear of. */
type Told = Pick<AnomalyNote, 'decision' | 'message' | 'why'>;

export class TurnWatcher {
  readonly #ports: TurnWatcherPorts;
  readonly #serial = new Serial();
  /** The least recently active one comes first. */
  readonly #watches = new Map<string, ConversationWatch>();
  readonly #terms = new Map<string, WatchTerms>();
  /** The tree when something was first suspected. Undefined: nothing is. */
  #tree: string | null | undefined;
  /** The trees that were seen, oldest first. A change that leads back to one of them is no progress. */
  readonly #trees = new Set<string>();
  /** Read when the first detector needs them. */
  #numbers: ReturnType<NonNullable<TurnWatcherPorts['numbers']>> | undefined;
  /** Read when the first threshold needs it. */
  #healthy: ReturnType<NonNullable<TurnWatcherPorts['healthy']>> | undefined;
  /** What the turns of each conversation show, the least recently active one first. */
  readonly #domains = new Map<string, DomainCounts>();
  #notes = 0;
  #isBroken = false;

  constructor(ports: TurnWatcherPorts) {
    this.#ports = ports;
  }

  /** Resolves when everything that the turn shows is recorded. Never rejects. */
  take(turn: TurnRecord): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#isBroken) return;
      try {
        await this.#watch(turn);
      } catch (error) {
        this.#isBroken = true;
        await this.#note({ kind: 'detector-defect', detector: 'watch', message: describe(error) });
      }
    });
  }

  async #watch(turn: TurnRecord): Promise<void> {
    const { conversation } = turn;
    const before = this.#watches.get(conversation) ?? NEW_WATCH;
    const watching = this.#termsFor(turn.model, this.#ports.reports?.roleOf(turn) ?? NO_ROLE);
    const first = watchTurn(before, turn, watching);
    const promoted = needsNumbers(first.check, watching.policy)
      ? await this.#promote(turn.model, watching)
      : watching;
    this.#countDomain(turn);
    const terms = needsLearned(first.check, promoted.policy)
      ? await this.#teach(turn, promoted)
      : promoted;
    const seen = terms === watching ? first : watchTurn(before, turn, terms);
    const { history } = seen.watch;
    if (history.sinceProgress === 0) this.#tree = undefined;
    const isDecisive = restsOnTree(seen.check);
    const isFirst = this.#tree === undefined && isSuspect(history, terms.policy.thresholds);
    const hasChanged = (isDecisive || isFirst) && (await this.#hasTreeChanged());
    const { watch, check } =
      hasChanged && isDecisive ? checkAfterChange(before, turn, terms) : seen;
    this.#watches.delete(conversation); // re-inserted as the most recent one
    this.#watches.set(conversation, watch);
    const [oldest] = this.#watches.keys();
    if (this.#watches.size > CONVERSATIONS_MAX && oldest !== undefined)
      this.#watches.delete(oldest);
    if (check !== null) await this.#record(turn, watch.history.turn, check);
    await this.#ports.reports?.take(turn, watch.history, check);
  }

  #termsFor(model: string, member: RoleWatch): WatchTerms {
    const key = `${model} ${member.role?.id} ${member.domain}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const { run, steering, role: name } = this.#ports;
    const policy = policyFor(steering, { model, name, member });
    const terms = { run, policy, role: member.role };
    if (this.#terms.size < CONVERSATIONS_MAX) this.#terms.set(key, terms);
    return terms;
  }

  /** The numbers decide once for each model which detectors may speak in this attempt. */
  async #promote(model: string, terms: WatchTerms): Promise<WatchTerms> {
    this.#numbers ??= this.#ports.numbers?.();
    const { rows, channel } = (await this.#numbers) ?? NO_NUMBERS;
    const promoted = { ...terms, policy: withNumbers(terms.policy, rows, { model, channel }) };
    for (const [key, known] of this.#terms) if (known === terms) this.#terms.set(key, promoted);
    return promoted;
  }

  /** What was learned only raises thresholds, so it matters only if something is found without it. */
  async #teach({ model, conversation }: TurnRecord, terms: WatchTerms): Promise<WatchTerms> {
    this.#healthy ??= this.#ports.healthy?.();
    const domain = mainDomain(this.#domains.get(conversation) ?? {});
    const policy = withLearned(terms.policy, (await this.#healthy) ?? [], { model, domain });
    return { ...terms, policy };
  }

  #countDomain(turn: TurnRecord): void {
    const { conversation } = turn;
    const counts = countDomain(this.#domains.get(conversation) ?? {}, turn);
    this.#domains.delete(conversation);
    this.#domains.set(conversation, counts);
    const [oldest] = this.#domains.keys();
    if (this.#domains.size > CONVERSATIONS_MAX && oldest !== undefined)
      this.#domains.delete(oldest);
  }

  async #hasTreeChanged(): Promise<boolean> {
    const before = this.#tree;
    this.#tree = await this.#ports.fingerprint();
    if (this.#tree === null) return false;
    const isNew = !this.#trees.has(this.#tree);
    this.#trees.add(this.#tree);
    const [oldest] = this.#trees;
    if (this.#trees.size > TREES_MAX && oldest !== undefined) this.#trees.delete(oldest);
    return typeof before === 'string' && isNew;
  }

  /** What is found is recorded before the run is paused for it. */
  async #record(record: TurnRecord, turn: number, check: Check): Promise<void> {
    const { conversation, model } = record;
    for (const { anomaly, decision } of check.found) {
      const { detector, words } = anomaly;
      const told = decision === 'sent' ? await this.#tell(record, turn, anomaly) : { decision };
      const about = { detector, conversation, turn, model, ...told };
      await this.#note({ kind: 'anomaly', ...about, words: cutAtWord(words, WORDS_CHARS_MAX) });
    }
    for (const { detector, message } of check.defects)
      await this.#note({ kind: 'detector-defect', detector, message: describe(message) });
    if (check.pauses) await this.#ports.pause?.();
  }

  async #tell(record: TurnRecord, turn: number, anomaly: Anomaly): Promise<Told> {
    const { attempt, injector = NO_INJECTOR } = this.#ports;
    if (this.#notes >= NOTES_MAX)
      return { decision: 'undelivered', why: 'this attempt has had too many' };
    const injected = await injector.inject({
      origin: 'steering',
      text: steeringText(anomaly, turn),
      to: record.kind,
      cause: `${attempt} ${record.conversation} ${turn}`,
    });
    const { kind, ...rest } = injected;
    return { decision: kind === 'queued' ? 'sent' : 'undelivered', ...rest };
  }

  async #note(note: AttemptNote): Promise<void> {
    const isPause = note.kind === 'anomaly' && note.decision === 'paused';
    this.#notes += 1;
    if (isPause || this.#notes <= NOTES_MAX) await this.#ports.note(note);
  }
}

function describe(error: unknown): string {
  return cutAtWord(typeof error === 'string' ? error : describeError(error), WORDS_CHARS_MAX);
}
