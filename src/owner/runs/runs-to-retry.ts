/** Which runs `retry-now` concerns, and which runs continue when a cooldown is cleared. */
import { agentIdentity } from '../../attempts/choice/identity.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { adviceToAnswerRun } from '../../protocol/views/question-words.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { findSubmission } from '../credentials/run-credentials.ts';

const RUNS_MAX = 10_000;

/**
 * The runs that wait: the run itself, or those that it started. A run that waits for nothing is its own result, because
 * its wait may have ended a moment ago. Refuses a run that only a person can continue.
 */
export async function runsToRetry(
  run: RunId,
  view: (run: RunId) => Promise<RunView>,
): Promise<readonly RunId[]> {
  const tree = await openTree(run, view);
  const waiting = tree.filter(({ open }) => open.some(({ command }) => command === 'wait'));
  if (waiting.length > 0) return waiting.map(({ id }) => id as RunId);
  const asking = tree.find(({ open }) => open.some(({ command }) => command === 'ask'));
  if (asking !== undefined) throw waitsForPerson(run, asking);
  return [run];
}

async function openTree(
  run: RunId,
  view: (run: RunId) => Promise<RunView>,
): Promise<readonly RunView[]> {
  const top = await view(run);
  const children = top.open.flatMap(({ run: child }) => (child === undefined ? [] : [child]));
  const below = await Promise.all(children.map((child) => openTree(child as RunId, view)));
  return [top, ...below.flat()];
}

function waitsForPerson(run: RunId, asking: RunView): Refusal {
  return new Refusal({
    code: 'run.asks',
    message: `Run ${run} waits for you, and not for a time or a limit.`,
    hint: adviceToAnswerRun(asking) ?? 'To see all open questions: supervisor inbox',
  });
}

/** The runs that wait for a limit, and have an agent with one of these identities. */
export async function runsLimitedBy(
  identities: readonly string[],
  journal: Pick<Journal, 'runs' | 'readStream'>,
): Promise<readonly RunId[]> {
  const views = await journal.runs({ ended: false, limit: RUNS_MAX });
  const waiting = views.filter(({ open }) =>
    open.some(({ waitReason }) => waitReason === 'cooldown'),
  );
  const limited = await Promise.all(
    waiting.map(async ({ id }) => {
      const own = await identitiesOf(id as RunId, journal);
      return own.some((identity) => identities.includes(identity)) ? [id as RunId] : [];
    }),
  );
  return limited.flat();
}

async function identitiesOf(
  run: RunId,
  journal: Pick<Journal, 'readStream'>,
): Promise<readonly string[]> {
  const submission = await findSubmission(journal, run);
  if (submission === undefined || !('agent' in submission.settings)) return [];
  const { agent, chain = [agent] } = submission.settings;
  return chain.map(agentIdentity);
}
