/** What commands give to runs: tells a client which variables to send, and hands them to the run. */
import { Refusal, isRefusal } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-words.ts';
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import { missingKeyRefusal } from '../../execution/model-gateway/model-gateway.ts';
import { describeRefusal, refusalOr } from '../../execution/refusal-outcome.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import { knownPrices, readUserPrices } from '../../prices/user-prices.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type {
  EnvironmentNames,
  EnvironmentRequest,
  RunEnvironment,
} from '../../protocol/run-environment.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { PersonSignal } from '../../protocol/signal.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
import { findBudgetTrouble } from '../budgets/small-budget.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { projectSettings } from '../project-settings.ts';
import { agentsOfRun } from './agents-of-run.ts';
import { namesForRequest, namesInSubmission } from './environment-names.ts';
import type { RunEnvironments } from './run-environments.ts';
import { keysMissing } from './run-environments.ts';
import type { LackingAgent } from './run-environments.ts';

export type RunCredentialsPorts = {
  readonly options: OwnerOptions;
  readonly environments: RunEnvironments;
  readonly journal: () => Journal;
  readonly view: (run: RunId) => Promise<RunView>;
  /** Where the stored logins of CLIs are found. */
  readonly executionHost: Pick<ExecutionHost, 'clock' | 'userDir'>;
  /** Resolves when the answer is durable. */
  readonly answer: (run: RunId, signal: PersonSignal) => Promise<void>;
};

export class RunCredentials {
  readonly #ports: RunCredentialsPorts;

  constructor(ports: RunCredentialsPorts) {
    this.#ports = ports;
  }

  /** The variables that a command should send, by name. */
  async names({ set = [], ...request }: EnvironmentRequest): Promise<EnvironmentNames> {
    const settingsRequest = { set, untrusted: request.untrusted };
    const { settings } = await projectSettings(
      this.#ports.options,
      request.project,
      settingsRequest,
    );
    return { names: namesForRequest(request, settings) };
  }

  /** The same for a command that continues a run. `agent`: one that the run may not have yet. */
  async namesOf(run: RunId, agent?: string): Promise<EnvironmentNames> {
    const { project } = await this.#ports.view(run);
    const submission = await findSubmission(this.#ports.journal(), run);
    if (submission === undefined) return { names: [] };
    const { agent: first, chain = [first] } = submission.settings;
    const own = namesInSubmission(submission);
    const isOwn = agent === undefined || chain.some(({ id }) => id === agent);
    const more = isOwn ? [] : (await this.names({ project, agent })).names;
    return { names: [...new Set([...own, ...more])] };
  }

  /** For a run that exists: gives it what it lacks since the last owner ended. */
  async supply(run: RunId, environment: RunEnvironment | undefined): Promise<void> {
    const { environments, journal, view } = this.#ports;
    if (environment === undefined || (await view(run)).endedAt !== null) return;
    const submission = await findSubmission(journal(), run);
    if (submission === undefined) return;
    const { open } = await view(run);
    const lacking = namesOf(this.#lacking(run, submission));
    const hasSome = lacking.some((name) => (environment[name] ?? '') !== '');
    const asks = open.some(({ about }) => about === 'keys');
    if (hasSome || asks || !environments.has(run))
      environments.giveTo(submission, environment)(run);
  }

  /** The same for an answer with which the run continues. Refuses if its agent then still lacks a key. */
  async supplyForAnswer(
    run: RunId,
    environment: RunEnvironment | undefined,
    choice: string,
  ): Promise<void> {
    await this.supply(run, environment);
    const view = await this.#ports.view(run);
    const asked = view.open.find(({ command }) => command === 'ask');
    const continues = asked?.about === 'keys' || asked?.choices?.includes('continue') === true;
    if (!continues || choice.trim().toLowerCase() === 'stop') return;
    try {
      await this.#requireKeys(view);
    } catch (error) {
      // `resume` gives the keys and answers only a question about keys.
      if (!isRefusal(error, 'agent.keys-missing') || asked.about === 'keys') throw error;
      throw answerAgain(error, run, choice);
    }
  }

  async #requireKeys({ id, agent: last }: RunView): Promise<void> {
    const run = id as RunId;
    const submission = await findSubmission(this.#ports.journal(), run);
    if (submission === undefined) return;
    const { agent: first, chain = [first], unsafe = false } = submission.settings;
    const agent = chain.find((one) => one.id === last) ?? first;
    const lacking = this.#lacking(run, submission);
    const own = lacking.filter((one) => one.agent === agent.id);
    if (own.length > 0) throw keysMissing(lacking.length === chain.length ? lacking : own, run);
    const refusal = unsafe ? undefined : await this.#withoutModel(run, agent);
    if (refusal !== undefined) throw refusal;
  }

  /** The same, and a run that asks for its keys continues. Refuses if this shell has none of them, either. */
  async continueWith(run: RunId, environment: RunEnvironment | undefined): Promise<void> {
    const submission = await findSubmission(this.#ports.journal(), run);
    if (submission === undefined) return;
    const before = namesOf(this.#lacking(run, submission));
    await this.supply(run, environment);
    const { open } = await this.#ports.view(run);
    // The runs that this one has started lack the same keys, and one of them may be the one that asks.
    for (const { run: child } of open) {
      const id = child === undefined ? undefined : parseRunId(child);
      if (id !== undefined) await this.continueWith(id, environment);
    }
    const question = open.find(({ about }) => about === 'keys');
    if (question === undefined) return;
    const lacking = this.#lacking(run, submission);
    if (lacking.length > 0 && namesOf(lacking).length === before.length)
      throw keysMissing(lacking, run);
    if (lacking.length === 0) await this.#requireKeys(await this.#ports.view(run));
    const [choice = 'retry'] = question.choices ?? [];
    await this.#ports.answer(run, { kind: 'answer', key: question.key, answer: choice });
  }

  /** What keeps agents of a run from their model, and what to type. Null: nothing that the owner knows of. */
  async lacks(run: RunId): Promise<string | null> {
    const { journal, view } = this.#ports;
    const { endedAt } = await view(run);
    const submission = await findSubmission(journal(), run);
    if (submission === undefined) return null;
    const { agent, unsafe = false } = submission.settings;
    // What an ended run was given is forgotten. A run that was given nothing may have ended at once for that reason.
    const lacking = endedAt === null ? this.#lacking(run, submission) : [];
    const hasForgotten = endedAt !== null && (agent.given?.names ?? []).length > 0;
    if (lacking.length > 0) {
      const subject =
        lacking.length === agentsOfRun(submission).length
          ? 'The run waits'
          : "An agent can't start";
      return `${subject}: ${describeRefusal(keysMissing(lacking, run))}`;
    }
    if (unsafe || hasForgotten) return null; // without a sandbox, each CLI uses its own login
    const refusal = await this.#withoutModel(run, agent);
    return refusal === undefined ? null : describeRefusal(refusal);
  }

  /** Why the budgets of a run do not pay for its first call. Null: they do, or that is not known. */
  async smallBudget(run: RunId): Promise<string | null> {
    const { journal, options } = this.#ports;
    const submission = await findSubmission(journal(), run);
    if (submission === undefined || submission.settings.unsafe === true) return null;
    const { agent, chain = [agent], budget, gateway, recovery } = submission.settings;
    if (!Object.values(budget).some(isCapped)) return null;
    const spent = isCapped(budget.project)
      ? await new BudgetPools(journal()).exhaustedLimit(
          submission.project,
          budget.project,
          options.clock.now(),
        )
      : undefined;
    const known = knownPrices(await readUserPrices(options.home.dir));
    const prices = [...gateway.prices, ...known.map(({ price }) => price)];
    const asks = recovery.ask !== false;
    const trouble = findBudgetTrouble({ budget, asks, spent }, chain, prices);
    return trouble === undefined ? null : `${trouble.words}. ${trouble.hint}`;
  }

  /** Why this agent reaches no model, though it has all that its command gave it. */
  async #withoutModel(run: RunId, agent: AgentSpec): Promise<Refusal | undefined> {
    if (agent.cli === 'scripted') return undefined;
    const { environments, executionHost } = this.#ports;
    const { clock, userDir } = executionHost;
    const ports = { clock, userDir, ownerEnv: environments.credentialsOf(run, agent) };
    // The values of its own secrets are looked up when it starts. Here it matters that they have names.
    const own = Object.fromEntries((agent.secrets ?? []).map((name) => [name, 'set']));
    const env = { ...agent.env, ...own };
    const found = await refusalOr(findCredentials({ ...agent, env }, ports));
    if (found instanceof Refusal) return found;
    const missing = missingKeys(agent.cli, found.upstreams);
    return missing.length === 0 ? undefined : missingKeyRefusal(agent.cli, missing);
  }

  #lacking(run: RunId, submission: Submission): readonly LackingAgent[] {
    const { environments } = this.#ports;
    return agentsOfRun(submission).flatMap((one) => {
      const names = environments.lacking(run, one);
      return names.length === 0 ? [] : [{ agent: one.id, names }];
    });
  }
}

function isCapped(caps: object): boolean {
  return Object.values(caps).some((cap) => cap !== null);
}

/** The same refusal. What works is the same answer from another shell. */
function answerAgain({ data, message }: Refusal, run: string, choice: string): Refusal {
  return new Refusal({
    ...data,
    message: `${message} Nothing was answered.`,
    hint: `Give the same answer from a shell that has it: supervisor answer ${run} ${shellWord(choice)}`,
  });
}

function namesOf(lacking: readonly LackingAgent[]): readonly string[] {
  return [...new Set(lacking.flatMap(({ names }) => names))];
}

/** The submission of a run, or of the run that it was forked from. Undefined: the run has no first fact. */
export async function findSubmission(
  journal: Pick<Journal, 'readStream'>,
  run: RunId,
): Promise<Submission | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type === 'run.forked') return first.payload.submission;
  return first?.type === 'run.submitted' ? first.payload : undefined;
}
