/** The first line of a run: its project, and its agents if more than one may work. */
import { buildChain } from '../../attempts/choice/chain.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';

export function describeSubmitted(submission: Submission): string {
  const line = `submitted for ${submission.project}`;
  // The steps of a workflow are runs of their own, and a long-lived agent is one agent.
  if (submission.program !== ATTEMPTS_PROGRAM) return line;
  const { chain = [], order = 'as-listed', fallbacks = {} } = submission.settings;
  // In any other order, the run finds out which agent is first when it begins.
  if (order !== 'as-listed') return line;
  const [first, ...others] = buildChain({ agents: chain, order, fallbacks }, null);
  if (first === undefined || others.length === 0) return line;
  return `${line} with ${first} (${others.length === 1 ? 'fallback' : 'fallbacks'}: ${others.join(', ')})`;
}
