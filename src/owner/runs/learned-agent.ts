/** Lets the record of earlier attempts choose the first agent of a run, if the settings allow that and no person named one. */
import type { Random } from '../../base/random.ts';
import type { EndedAttempt } from '../../metrics/ended-attempt.ts';
import { chooseLearned } from '../../metrics/choose-learned.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import type { Settings } from '../../settings/settings.ts';

export type LearnedPorts = {
  readonly records: () => Promise<readonly EndedAttempt[]>;
  readonly now: () => number;
  readonly random: Random;
};

/** `request`: with the agents that its role names. */
export async function withLearnedAgent(
  submission: AttemptsSubmission,
  { agent, chain, model, bestOf }: RunRequest,
  { selection }: Pick<Settings, 'selection'>,
  { records, now, random }: LearnedPorts,
): Promise<AttemptsSubmission> {
  const { learned, learnedRules, mode, fallbacks } = selection;
  const isNamed = [agent, chain, model, bestOf].some((one) => one !== undefined);
  const { chain: agents = [], brief } = submission.settings;
  if (learned === 'off' || mode !== 'fallback' || isNamed || agents.length < 2) return submission;
  // If the settings say which agent follows which, the order is decided.
  const isOrdered = Object.keys(fallbacks).length > 0;
  const choice = chooseLearned(await records(), {
    setting: isOrdered ? 'suggest' : learned,
    agents: agents.map(({ id }) => id),
    role: brief?.role ?? null,
    task: brief?.answer ?? 'task',
    rules: learnedRules,
    now: now(),
    random: random(),
  });
  if (choice === undefined) return submission;
  const told = { ...submission, choice };
  const chosen = agents.find(({ id }) => id === choice.agent);
  if (chosen === undefined || (choice.kind !== 'learned' && choice.kind !== 'explored'))
    return told;
  const others = agents.filter((one) => one !== chosen);
  const settings = { ...submission.settings, agent: chosen, chain: [chosen, ...others] };
  return { ...told, settings };
}
