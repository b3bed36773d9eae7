/** Short queries to docker or podman: how a container ended, its removal, and which containers are ours. */
import { groupArgs } from './group-args.ts';
import type { Clock } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import type { UnixAnswer } from '../host/net/unix-request.ts';
import { requestUnix } from '../host/net/unix-request.ts';
import { CONTAINER_LABEL } from './backends/wrap-container.ts';
import type { SandboxFacts } from './sandbox-facts.ts';

export type EngineAnswer = { readonly ok: boolean; readonly text: string };

export type ContainerExitState = {
  readonly started: boolean;
  readonly code: number;
  readonly oomKilled: boolean;
};

const ANSWER_MS_MAX = 60_000;
/** An engine on a busy machine sometimes fails a query and answers the next one. */
const TRIES_MAX = 5;
const RETRY_MS = 250;
const MISSING = /no (?:such )?(?:container|object)/i;
const DEFAULT_HOST = 'unix:///var/run/docker.sock';
const ANSWER_BYTES_MAX = 1_000_000;

/** Runs a program that only has to answer and end. If it fails, the text is its error output. */
export async function askEngine(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  clock: Clock,
  tag: string,
  msMax = ANSWER_MS_MAX,
): Promise<EngineAnswer> {
  const output = { stdout: '', stderr: '' };
  const collect = (stream: keyof typeof output) => (chunk: Uint8Array) => {
    if (output[stream].length < ANSWER_BYTES_MAX)
      output[stream] += Buffer.from(chunk).toString('utf8');
  };
  const group = new ProcessGroup(
    { argv, cwd: '/', env },
    { tag, clock, onStdout: collect('stdout'), onStderr: collect('stderr') },
  );
  const done = new AbortController();
  const exit = await Promise.race([group.ended, clock.sleep(msMax, done.signal)]);
  done.abort();
  if (typeof exit === 'boolean') {
    await group.kill();
    return { ok: false, text: `no answer within ${msMax} ms` };
  }
  const ok = exit.kind === 'code' && exit.code === 0;
  return { ok, text: ok ? output.stdout : `${output.stderr}${startError(exit)}` };
}

function readState(state: unknown): ContainerExitState | undefined {
  if (!isRecord(state)) return undefined;
  const startedAt = textField(state['StartedAt']);
  return {
    started: startedAt !== '' && !startedAt.startsWith('0001-'),
    code: Number(state['ExitCode'] ?? -1),
    oomKilled: state['OOMKilled'] === true,
  };
}

function textField(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readPid(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function startError(exit: HostExit): string {
  return exit.kind === 'not-started' ? exit.message : '';
}

/** A forced removal succeeds without a container, but `inspect` fails. */
const REMOVAL = '"$1" container inspect "$2" && exec "$1" container rm --force --volumes "$2"';

export class ContainerEngine {
  readonly #backend: 'docker' | 'podman';
  readonly #program: string;
  readonly #facts: SandboxFacts;
  readonly #clock: Clock;
  readonly #tag: string;

  constructor(backend: 'docker' | 'podman', facts: SandboxFacts, clock: Clock, tag: string) {
    this.#backend = backend;
    this.#program = facts.tools[backend] ?? backend;
    this.#facts = facts;
    this.#clock = clock;
    this.#tag = tag;
  }

  ask(...args: readonly string[]): Promise<EngineAnswer> {
    return askEngine([this.#program, ...args], this.#facts.engineEnv, this.#clock, this.#tag);
  }

  /** The engine's record of a container. Undefined if there is none, or if the engine does not answer. */
  async findExitState(container: string): Promise<ContainerExitState | undefined> {
    const direct = await this.#direct('GET', `/containers/${container}/json`);
    if (direct?.status === 200) {
      const whole = parseJson(direct.text);
      return isRecord(whole) ? readState(whole['State']) : undefined;
    }
    const { ok, text } = await this.#askWithRetries(
      'inspect',
      '--format',
      '{{json .State}}',
      container,
    );
    return ok ? readState(parseJson(text)) : undefined;
  }

  /** Ends a container if it still runs, and removes it. A missing container counts as removed. */
  async remove(container: string): Promise<void> {
    const direct = await this.#direct('DELETE', `/containers/${container}?force=1&v=1`);
    if (direct?.status === 204 || direct?.status === 404) return;
    // For example, podman fails to remove a paused container that ends by itself as soon as it is killed.
    await this.#askWithRetries('rm', '--force', '--volumes', container);
  }

  /** Repeats the query until the engine answers or reports that there is no such container. */
  async #askWithRetries(...args: readonly string[]): Promise<EngineAnswer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.ask(...args);
      if (answer.ok || MISSING.test(answer.text) || tries === TRIES_MAX) return answer;
      await this.#clock.sleep(RETRY_MS * tries);
    }
  }

  /** Pauses all processes of the container. False if this is impossible, or if it does not run. */
  async pause(container: string): Promise<boolean> {
    const direct = await this.#direct('POST', `/containers/${container}/pause`);
    if (direct !== undefined) return direct.status === 204;
    return (await this.ask('pause', container)).ok;
  }

  /** Resumes the container. It may have ended or been killed meanwhile, which also ends the pause. */
  async unpause(container: string): Promise<void> {
    const direct = await this.#direct('POST', `/containers/${container}/unpause`);
    if (direct?.status === 204 || direct?.status === 404) return;
    await this.ask('unpause', container);
  }

  /** The command that ends and removes a container. It fails if there is no container with this name. */
  removal(container: string): readonly string[] {
    const shell = this.#facts.tools.sh ?? '/bin/sh';
    return [shell, '-c', REMOVAL, 'supervisor-removal', this.#program, container];
  }

  /** The pid of the first process inside, on this machine. Undefined before it has started. */
  async findPid(container: string): Promise<number | undefined> {
    const direct = await this.#direct('GET', `/containers/${container}/json`);
    const whole = direct?.status === 200 ? parseJson(direct.text) : undefined;
    if (isRecord(whole) && isRecord(whole['State'])) return readPid(whole['State']['Pid']);
    if (direct !== undefined) return undefined;
    const { ok, text } = await this.ask('inspect', '--format', '{{.State.Pid}}', container);
    return ok ? readPid(Number(text)) : undefined;
  }

  /**
   * Asks the engine directly, because the client takes longer to start than the engine to answer. Undefined if only
   * the client knows how to reach it.
   */
  #direct(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<UnixAnswer | undefined> {
    const { DOCKER_HOST: host = DEFAULT_HOST, DOCKER_CONTEXT: context } = this.#facts.engineEnv;
    if (this.#backend !== 'docker' || context !== undefined || !host.startsWith('unix://'))
      return Promise.resolve(undefined);
    return requestUnix(host.slice('unix://'.length), method, path, ANSWER_MS_MAX);
  }

  /** Our containers whose policy id is `idPrefix` or below it. */
  async listOwn(idPrefix: string): Promise<readonly string[]> {
    const format = `{{.Names}} {{.Label "${CONTAINER_LABEL}"}}`;
    const { ok, text } = await this.ask(
      ...groupArgs('ps', '--all', '--filter', `label=${CONTAINER_LABEL}`, '--format', format),
    );
    return (ok ? text : '').split('\n').flatMap((line) => {
      const [name = '', id = ''] = line.split(' ');
      return id === idPrefix || id.startsWith(`${idPrefix}/`) ? [name] : [];
    });
  }
}
