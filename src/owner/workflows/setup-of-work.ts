/**
 * A gate of a workflow needs the setup that the work was made with. The run of the step made or reused it, on the same
 * base, so its journal names it.
 */
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { Performer } from '../../engine/performer.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';

/** A run begins with its setup. */
const FACTS_MAX = 100;
/** The same bound as in the engine. */
const FORK_DEPTH_MAX = 100;

export function withSetupOfWork(
  gate: Performer<'gate'>,
  journal: Pick<Journal, 'readStream'>,
): Performer<'gate'> {
  return {
    command: 'gate',
    perform: async (request, context) => {
      const { work, setupOf = work?.run, setupKey: given } = request.input;
      const run = setupOf === undefined || given !== undefined ? undefined : parseRunId(setupOf);
      const setupKey = run === undefined ? undefined : await findSetupKey(journal, run);
      if (setupKey === undefined) return gate.perform(request, context);
      return gate.perform({ ...request, input: { ...request.input, setupKey } }, context);
    },
  };
}

/** Undefined: the run had no setup, or needed none. */
async function findSetupKey(
  journal: Pick<Journal, 'readStream'>,
  run: RunId,
  depth = 0,
): Promise<string | undefined> {
  const facts = await journal.readStream(runStream(run), { after: 0, limit: FACTS_MAX });
  for (const fact of facts) {
    if (fact.type !== 'command.ended' || fact.payload.command !== 'setup') continue;
    const { end } = fact.payload;
    if (end.kind === 'done' && end.result.kind === 'ready') return end.result.key;
  }
  const [first] = facts;
  const from = first?.type === 'run.forked' ? parseRunId(first.payload.from) : undefined;
  return from === undefined || depth >= FORK_DEPTH_MAX
    ? undefined
    : findSetupKey(journal, from, depth + 1);
}
