/** The turns of one attempt: records them up to a bound, and watches all of them. */
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import { DEFAULT_STEERING, DETECTORS } from '../../protocol/contracts/steering-contract.ts';
import { TurnWatcher } from './turn-watcher.ts';

/** Beyond it, turns are not recorded any more: the journal keeps every run for ever. */
const TURNS_RECORDED_MAX = 2000;
/** In a larger tree, changes are seen only by tool calls. */
const TREE_FILES_MAX = 20_000;

type Context = CommandContext<'attempt'>;

export type AttemptTurns = {
  /** The context of the attempt. Its notes about turns are bounded and watched. */
  readonly context: Context;
  /** Call it when the work folder is known. */
  readonly watchFolder: (folder: string) => void;
};

export function watchTurns(
  { run, input }: CommandRequest<'attempt'>,
  context: Context,
  treeFingerprint: (folder: string, filesMax: number) => Promise<string | null>,
): AttemptTurns {
  const { steering = DEFAULT_STEERING, brief } = input;
  const { cancelSignal, killSignal } = context;
  let folder: string | undefined;
  let recorded = 0;
  const note: Context['note'] = (fact) => context.note(fact);
  const watcher = isOff(steering)
    ? null
    : new TurnWatcher({
        run,
        steering,
        role: brief?.role ?? null,
        note,
        fingerprint: async () =>
          folder === undefined ? null : treeFingerprint(folder, TREE_FILES_MAX),
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
    watchFolder: (path) => {
      folder = path;
    },
  };
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
