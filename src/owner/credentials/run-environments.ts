/**
 * The variables that commands gave to runs, in memory only. The journal has their names. So after a restart the owner
 * knows what a run lacks, until a command gives it again.
 */
import { Refusal } from '../../base/errors.ts';
import type { AgentSpec, GivenVariables } from '../../protocol/pinned-settings.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import { SETUP_VARIABLES } from '../../protocol/run-environment.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { namesInSubmission } from './environment-names.ts';
import type { Variables } from './given-variables.ts';
import {
  digestOf,
  namesFor,
  pickVariables,
  withoutCredentials,
  withoutSetupVariables,
} from './given-variables.ts';

type GivenAgent = Partial<Pick<AgentSpec, 'given' | 'cli' | 'env' | 'model' | 'secrets'>>;

/** A run whose variables were dropped waits for them, as after a restart. */
const RUNS_MAX = 10_000;

export class RunEnvironments {
  readonly #ownerEnv: Variables;
  readonly #runsMax: number;
  readonly #given = new Map<string, RunEnvironment>();

  constructor(ownerEnv: Variables, runsMax = RUNS_MAX) {
    this.#ownerEnv = ownerEnv;
    this.#runsMax = runsMax;
  }

  /** Gives a run the variables that its agents need. A new run is given them before anything of it is performed. */
  giveTo(
    submission: Pick<Submission, 'settings'>,
    environment: RunEnvironment | undefined,
  ): (run: string) => void {
    const values = pickVariables(environment ?? {}, namesInSubmission(submission));
    // A shell in which a variable of a setup is not set unsets that of the owner.
    const unsets = environment !== undefined && Boolean(submission.settings.setup);
    return (run) => {
      if (unsets || Object.keys(values).length > 0) this.#give(run, values);
    };
  }

  /** A run that another run starts uses the variables of that run. */
  inherit(child: string, parent: string): void {
    const given = this.#given.get(parent);
    if (given !== undefined) this.#give(child, given);
  }

  has(run: string): boolean {
    return this.#given.has(run);
  }

  /** Called when the run has ended. */
  forget(run: string): void {
    this.#given.delete(run);
  }

  /** Where the secrets of an agent's settings are looked up if the settings have lost them. */
  secretsOf(run: string): Variables {
    return { ...this.#ownerEnv, ...this.#given.get(run) };
  }

  /**
   * The environment in which the credentials of an agent are found. A key of the shell that started the owner counts
   * only if the run was given the same one.
   */
  credentialsOf(run: string, agent: GivenAgent): Variables {
    const { given } = agent;
    if (given === undefined) return this.#ownerEnv;
    return { ...withoutCredentials(this.#ownerEnv), ...this.#valuesOf(run, given, agent) };
  }

  /**
   * The environment of the run's setup. What package managers read is that of the shell which submitted the run. After
   * a restart it is that of the owner, until a command gives it again.
   */
  setupVariablesOf(run: string): Variables {
    const given = this.#given.get(run);
    if (given === undefined) return this.#ownerEnv;
    return { ...withoutSetupVariables(this.#ownerEnv), ...pickVariables(given, SETUP_VARIABLES) };
  }

  /** The variables that the run was given for this agent, for a CLI that reads them itself. */
  givenTo(run: string, agent: GivenAgent): Readonly<Record<string, string>> {
    const { given } = agent;
    return given === undefined ? {} : this.#valuesOf(run, given, agent);
  }

  /** The names of the variables that the run was given and this owner does not have. */
  lacking(run: string, { given }: Pick<AgentSpec, 'given'>): readonly string[] {
    if (given === undefined) return [];
    const values = this.#valuesOf(run, given);
    return given.names.filter((name) => values[name] === undefined);
  }

  /** Refuses if the run lacks a variable that its agent was given. */
  require(run: string, agent: Pick<AgentSpec, 'id' | 'given'>): void {
    const lacking = this.lacking(run, agent);
    if (lacking.length > 0) throw keysMissing([{ agent: agent.id, names: lacking }], run);
  }

  /** A key that a run was given before, and that a later command does not give, it keeps. */
  #give(run: string, values: RunEnvironment): void {
    const before = this.#given.get(run);
    this.#given.delete(run);
    const kept = pickVariables(withoutSetupVariables(before ?? {}), Object.keys(before ?? {}));
    this.#given.set(run, { ...kept, ...values });
    const [oldest] = this.#given.keys();
    if (this.#given.size > this.#runsMax && oldest !== undefined) this.#given.delete(oldest);
  }

  /** `agent`: a command that continues the run may give it a key that the first command did not have. */
  #valuesOf(
    run: string,
    { names, digest }: GivenVariables,
    { cli, env = {}, model, secrets = [] }: GivenAgent = {},
  ): Record<string, string> {
    const given = this.#given.get(run);
    const known = { cli: cli ?? '', env, secrets, model: model ?? null };
    const later = cli === undefined ? [] : namesFor(known, { isContained: false });
    if (given !== undefined) return pickVariables(given, [...names, ...later]);
    const own = pickVariables(this.#ownerEnv, names);
    return digest === null || digestOf(own) === digest ? own : {};
  }
}

/** An agent, and the variables that it lacks. */
export type LackingAgent = { readonly agent: string; readonly names: readonly string[] };

/** Variables in which CLIs find the address of a provider, and those that name something else than a key. */
const ADDRESS = /(?:URL|URI|ENDPOINT|HOST)$/;
const OTHER = /(?:REGION|LOCATION|PROJECT|PROFILE|ORG|ORGANIZATION|DIR|HOME|USE_[A-Z]+)$/;

/** `the keys A and B and the address C`. */
export function describeVariables(names: readonly string[]): string {
  const groups: readonly (readonly [noun: string, plural: string, names: readonly string[]])[] = [
    ['key', 'keys', names.filter((name) => !ADDRESS.test(name) && !OTHER.test(name))],
    ['address', 'addresses', names.filter((name) => ADDRESS.test(name))],
    ['variable', 'variables', names.filter((name) => OTHER.test(name))],
  ];
  return groups
    .filter(([, , all]) => all.length > 0)
    .map(([one, many, all]) => `the ${all.length === 1 ? one : many} ${all.join(' and ')}`)
    .join(' and ');
}

/** Names each agent with its own variables. */
export function keysMissing(lacking: readonly LackingAgent[], run: string): Refusal {
  const needs = lacking.map(({ agent, names }) => `${agent} needs ${describeVariables(names)}`);
  const isOne = lacking.flatMap(({ names }) => names).length === 1;
  return new Refusal({
    code: 'agent.keys-missing',
    message: `${needs.join('; ')}.`,
    hint: `From a shell that has ${isOne ? 'it' : 'them'}, run: supervisor resume ${run}`,
  });
}
