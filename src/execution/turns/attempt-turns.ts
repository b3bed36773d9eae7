/** The turns of one attempt: records them up to a bound, and watches all of them. */
import type { RunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import { DEFAULT_STEERING, DETECTORS } from '../../protocol/contracts/steering-contract.ts';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { ReportFolder } from '../../host/files/report-folder.ts';
import type { PinnedOrganization } from '../../protocol/contracts/organization-contract.ts';
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { PROJECT_FOLDER } from '../../trust/project-folder.ts';
import { RoleReports } from './role-reports.ts';
import type { SteeringChannel, SteeringRow } from '../../reports/steering-report.ts';
import type { HealthyPeak } from '../../steering/learned-thresholds.ts';
import type { Injected, InjectedWords } from '../../steering/injector.ts';
import { takeWatchedMessage } from './take-watched-message.ts';
import { TurnWatcher } from './turn-watcher.ts';

/** Beyond it, turns are not recorded any more: the journal keeps every run for ever. */
const TURNS_RECORDED_MAX = 2000;
/** In a larger tree, changes are seen only by tool calls. */
const TREE_FILES_MAX = 20_000;
const TASK_CHARS_MAX = 300;

type Context = CommandContext<'attempt'>;

export type AttemptTurns = {
  /** The context of the attempt. Its notes about turns are bounded and watched. */
  readonly context: Context;
  /** Call it when the work folder is known. `channel`: how a message reaches the agent. */
  readonly watchFolder: (
    folder: string,
    redactor: Redactor | null,
    channel?: SteeringChannel,
  ) => void;
  /** Call it when the attempt has ended. Never rejects. */
  readonly end: (outcome: AttemptOutcome) => Promise<void>;
};

type TurnPorts = {
  readonly clock: Clock;
  readonly treeFingerprint: (folder: string, filesMax: number) => Promise<string | null>;
  /** Absent: what is found is only recorded. */
  readonly steering?: SteeringPorts;
  /** The CLI ends its run itself if calls repeat. Then each turn is checked. */
  readonly endsLoops?: true;
};

/** How the watch over an agent's turns acts on its run. */
export type SteeringPorts = {
  readonly inject: (run: RunId, words: InjectedWords) => Promise<Injected>;
  /** Until a person unpauses it. */
  readonly pause: (run: RunId) => Promise<void>;
  /** What earlier runs say about messages. */
  readonly numbers: () => Promise<readonly SteeringRow[]>;
  /** How often healthy work repeats itself. */
  readonly healthy: () => Promise<readonly HealthyPeak[]>;
};

export function watchTurns(
  { run, key, input }: CommandRequest<'attempt'>,
  context: Context,
  { clock, treeFingerprint, steering: steered, endsLoops }: TurnPorts,
): AttemptTurns {
  const { steering: pinned = DEFAULT_STEERING, brief } = input;
  const steering = endsLoops === true ? { ...pinned, checkTurns: 1 } : pinned;
  const { organization } = steering;
  const { cancelSignal, killSignal } = context;
  let folder: string | undefined;
  let channel: SteeringChannel = 'none';
  let redactor: Redactor | null = null;
  let recorded = 0;
  const note: Context['note'] = (fact) => context.note(fact);
  const reports =
    organization === undefined
      ? undefined
      : reportsOf(input, organization, {
          ...(steered !== undefined && { inject: (words) => steered.inject(run, words) }),
          clock,
          note,
          about: async () => ({
            task: await redacted(firstLine(input.prompt), redactor),
            folder: folder ?? '',
          }),
        });
  const watcher =
    isOff(steering) && reports === undefined
      ? null
      : new TurnWatcher({
          run,
          attempt: key,
          steering,
          role: brief?.role ?? input.member ?? null,
          note,
          fingerprint: async () =>
            folder === undefined ? null : treeFingerprint(folder, TREE_FILES_MAX),
          ...(reports !== undefined && { reports }),
          ...(steered !== undefined && {
            injector: { inject: (words) => steered.inject(run, words) },
            pause: () => steered.pause(run),
            numbers: async () => ({ rows: await steered.numbers(), channel }),
            healthy: () => steered.healthy(),
          }),
        });
  return {
    context: {
      cancelSignal,
      killSignal,
      note: async (fact) => {
        if (fact.kind !== 'turn') return context.note(fact);
        recorded += 1;
        if (recorded <= TURNS_RECORDED_MAX) await context.note(fact);
        await watcher?.take(fact.turn);
      },
    },
    watchFolder: (path, secrets, way = 'none') => {
      folder = path;
      redactor = secrets;
      channel = way;
    },
    end: async (outcome) => reports?.end(outcome.kind === 'completed' ? 'complete' : 'aborted'),
  };
}

type ReportPorts = Pick<
  ConstructorParameters<typeof RoleReports>[0],
  'clock' | 'note' | 'about'
> & {
  /** Absent: nothing reaches the agent. */
  readonly inject?: (words: InjectedWords) => Promise<Injected>;
};

/** The reports go to the project itself, where others find them, and not to the agent's copy of it. */
function reportsOf(
  { brief, member, number, project }: CommandRequest<'attempt'>['input'],
  organization: PinnedOrganization,
  { inject, ...ports }: ReportPorts,
): RoleReports {
  const shared = join(project, PROJECT_FOLDER, 'organization');
  const folder = new ReportFolder(shared);
  return new RoleReports({
    ...ports,
    ...{ organization, number, name: brief?.role ?? member ?? null },
    ...(inject !== undefined && {
      takeMessage: (role, since) =>
        takeWatchedMessage({ shared, role, since, now: ports.clock.now() }, inject),
    }),
    write: (role, record, at) =>
      'latest' in record
        ? folder.write(role, 'latest', record.latest, at)
        : folder.write(role, 'assessment', record.assessment, at),
  });
}

function firstLine(prompt: string): string {
  return prompt.trimStart().split('\n', 1)[0]?.slice(0, TASK_CHARS_MAX) ?? '';
}

async function redacted(text: string, redactor: Redactor | null): Promise<string> {
  return redactor === null ? text : redactor.redact(text);
}

/** Then no turn is watched at all, which costs nothing. */
function isOff({ mode, modes, overrides }: typeof DEFAULT_STEERING): boolean {
  const isAllOff = [{ mode, modes }, ...overrides].every(
    (one) =>
      (one.mode ?? 'off') === 'off' &&
      DETECTORS.every((name) => (one.modes[name] ?? 'off') === 'off'),
  );
  return isAllOff;
}
