/** The submission of a run that a person resumes: with the keys of their shell, and with what they have changed. */
import { runAgents, needsSandboxRefusal } from '../../attempts/choice/run-agents.ts';
import { Refusal } from '../../base/errors.ts';
import { formatDuration } from '../../base/format-duration.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { ResumeChanges } from '../../protocol/resume-changes.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CredentialSource } from '../credentials/given-variables.ts';
import { pinAgent, repinAgent } from '../credentials/given-variables.ts';

export type ResumedRun = {
  readonly submission: AttemptsSubmission;
  /** Its budget is that of the new run at its start: all that its task has cost so far. */
  readonly view: Pick<RunView, 'id' | 'agent' | 'budget'>;
  /** What the shell of the command gives. */
  readonly source: CredentialSource;
  /** The current settings of the project, for an agent that the run does not have. */
  readonly settings: () => Promise<Settings>;
};

export async function changedSubmission(
  run: ResumedRun,
  changes: ResumeChanges,
): Promise<AttemptsSubmission> {
  const { submission, view, source } = run;
  const { resumed: _, ...before } = submission;
  const { agent: first, chain = [first], deadlineMs, unsafe = false } = before.settings;
  const containment = { isContained: !unsafe };
  const agents = chain.map((one) => repinAgent(one, source, containment));
  const named = await nextAgent(run, agents, changes);
  const others = agents.filter(({ id }) => id !== named?.id);
  const next = named === undefined ? agents : [named, ...others];
  const asked = {
    ...(named === undefined ? {} : { agent: named.id }),
    ...(changes.message === undefined ? {} : { message: changes.message }),
  };
  return {
    ...before,
    task: changes.message === undefined ? before.task : `${before.task}\n\n${changes.message}`,
    settings: {
      ...before.settings,
      agent: next[0] ?? first,
      chain: next,
      ...(named === undefined ? {} : { order: 'as-listed', fallbacks: {} }),
      deadlineMs: changes.deadlineMs ?? deadlineMs,
      budget: raisedBudget(view, before.settings.budget, changes),
    },
    ...(Object.keys(asked).length === 0 ? {} : { resumed: asked }),
  };
}

/** Undefined: the run decides which agent is next. */
async function nextAgent(
  { view, source, settings, submission }: ResumedRun,
  agents: readonly AgentSpec[],
  { agent, model }: ResumeChanges,
): Promise<AgentSpec | undefined> {
  if (agent === undefined && model === undefined) return undefined;
  const id = agent ?? view.agent ?? agents[0]?.id ?? '';
  const { unsafe = false } = submission.settings;
  const found =
    agents.find((one) => one.id === id) ?? (await newAgent(id, await settings(), source, !unsafe));
  if (unsafe && found.fromProject === true) throw needsSandboxRefusal(id);
  return model === undefined ? found : { ...found, model };
}

async function newAgent(
  id: string,
  settings: Settings,
  source: CredentialSource,
  isContained: boolean,
): Promise<AgentSpec> {
  const [found] = runAgents({ agent: id }, settings, null).agents;
  if (found === undefined)
    throw new Refusal({ code: 'agent.unknown', message: `There is no agent ${id} here.` });
  return pinAgent(found, source, { isContained });
}

function raisedBudget(
  { id, budget: { spent, before } }: ResumedRun['view'],
  budget: AttemptsSubmission['settings']['budget'],
  { budgetUsd, budgetTokens, budgetTimeMs }: ResumeChanges,
): AttemptsSubmission['settings']['budget'] {
  if (budgetUsd !== undefined && budgetUsd <= spent.usd)
    throw tooSmall(id, '--budget-usd', `$${budgetUsd}`, `$${spent.usd.toFixed(2)}`);
  if (budgetTokens !== undefined && budgetTokens <= spent.tokens)
    throw tooSmall(id, '--budget-tokens', `${budgetTokens} tokens`, `${spent.tokens} tokens`);
  if (budgetTimeMs !== undefined && budgetTimeMs <= before.wallMs)
    throw tooSmall(
      id,
      '--budget-time',
      formatDuration(budgetTimeMs),
      formatDuration(before.wallMs),
    );
  const { usd, tokens, wallMs } = budget.run;
  const run = {
    ...budget.run,
    usd: budgetUsd ?? usd,
    tokens: budgetTokens ?? tokens,
    wallMs: budgetTimeMs ?? wallMs,
  };
  return { ...budget, run };
}

/** The budget of a resumed run is the limit for all that its task has cost so far, too. */
function tooSmall(run: string, option: string, given: string, spent: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `${option}: run ${run} has spent ${spent} so far, and that counts, so a budget of ${given} is spent already.`,
    hint: `Give more than ${spent} with ${option}.`,
  });
}
