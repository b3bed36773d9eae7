/**
 * What a command passes on from its shell. The owner names the variables that the agents of the command need, and
 * this sends those, never the whole environment.
 */
import { defined } from '../base/defined.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { EnvironmentRequest, RunEnvironment } from '../protocol/run-environment.ts';
import { EnvironmentNames, SETUP_VARIABLES } from '../protocol/run-environment.ts';
import { query, runPath } from './api-paths.ts';
import type { TransportCall } from './transport.ts';
import { commandCall } from './transport.ts';

export type JsonCall = (path: string, call: TransportCall) => Promise<unknown>;

export type ShellVariables = Readonly<Record<string, string | undefined>>;

/** Empty: the client has no shell, and the owner uses its own environment. */
export type GivenEnvironment = { readonly environment?: RunEnvironment };

/** What every command gives. */
const PATH_ONLY = ['PATH'];

export class ShellEnvironment {
  readonly #variables: ShellVariables | undefined;
  readonly #json: JsonCall;

  constructor(variables: ShellVariables | undefined, json: JsonCall) {
    this.#variables = variables;
    this.#json = json;
  }

  /** For a command that creates a run or an agent. */
  async forRequest(request: EnvironmentRequest): Promise<GivenEnvironment> {
    return this.#pick(() => this.#json('/v1/environment', commandCall(undefined, request)));
  }

  /** For a command whose run may use any agent of its project. */
  async forAnyAgent(
    request: Pick<EnvironmentRequest, 'project' | 'agent' | 'set' | 'untrusted'>,
  ): Promise<GivenEnvironment> {
    const { project, set, agent, untrusted } = request;
    return this.forRequest({ project, any: true, set, ...defined({ agent, untrusted }) });
  }

  /** For a command that continues a run. `agent`: one that the run may not have yet. */
  async forRun(id: string, agent?: string): Promise<GivenEnvironment> {
    const call: TransportCall = { ...commandCall(), method: 'GET' };
    const path = `${runPath(id, 'environment')}${query({ agent })}`;
    return this.#pick(() => this.#json(path, call));
  }

  /** For a command that uses no agent, but runs a setup. */
  async forSetup(): Promise<GivenEnvironment> {
    return this.#pick(async () => ({ names: [...PATH_ONLY, ...SETUP_VARIABLES] }));
  }

  async #pick(askNames: () => Promise<unknown>): Promise<GivenEnvironment> {
    const variables = this.#variables;
    if (variables === undefined) return {};
    const names = await readNames(askNames);
    const values = names.flatMap((name) => {
      const value = variables[name];
      if (value === undefined) return [];
      checkValue(name, value);
      return [[name, value] as const];
    });
    return { environment: Object.fromEntries(values) };
  }
}

/** Keys, tokens and addresses. In a path, a quotation mark may be meant. */
const LITERAL = /KEY|TOKEN|URL/;

const QUOTES = `"'\`\u2018\u2019\u201A\u201C\u201D\u201E\u2032\u2033\u00AB\u00BB`;
const QUOTED = new RegExp(`^[${QUOTES}]|[${QUOTES}]$`);
const CURLY = /[\u2018-\u201E\u2032\u2033\u00AB\u00BB]/;

/**
 * A file of variables that is no shell script, such as one of docker, keeps the quotation marks around a value, and a
 * chat or a web page adds curly ones, blanks and line ends. A provider then refuses the key, hours later. The message
 * never contains the value.
 */
function checkValue(name: string, value: string): void {
  if (!LITERAL.test(name)) return;
  const problem = findProblem(name, value);
  if (problem === undefined) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `The variable ${name} has ${problem}.`,
    hint: `Set it again without that, for example: export ${name}=VALUE`,
    details: { variable: name },
  });
}

function findProblem(name: string, value: string): string | undefined {
  const inside = value.trim();
  if (inside === '') return undefined;
  if (CURLY.test(inside))
    return 'a curly quotation mark, as a chat or a word processor writes it: the shell takes it as a part of the value';
  if (QUOTED.test(inside))
    return 'a quotation mark at its beginning or end, which is part of the value';
  if (inside !== value) return 'a blank or a line end at its beginning or end';
  if (/\s/.test(value)) return 'a blank or a line end inside it';
  // An address may have a name with other letters.
  const place = name.includes('URL') ? -1 : value.search(/[^\x21-\x7e]/);
  return place < 0
    ? undefined
    : `a character that no key has, at place ${place + 1}: it is no visible ASCII character`;
}

/** The part of a run's request that tells which agents it may use. */
export function agentsOfRun(request: RunRequest): EnvironmentRequest {
  const { project, agent, chain, model, role, workflow, unsafe, set, untrusted } = request;
  const any = role === undefined && workflow === undefined ? undefined : true;
  return { project, ...defined({ agent, chain, model, any, unsafe, set, untrusted }) };
}

/** A request that the owner refuses here is refused again by the command itself, with the same words. */
async function readNames(askNames: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    return EnvironmentNames.parse(await askNames()).names;
  } catch (error) {
    if (isRefusal(error)) return PATH_ONLY;
    throw error;
  }
}
