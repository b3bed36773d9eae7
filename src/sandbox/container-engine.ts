/** Short questions to docker or podman: how did this container end, remove it, which are ours. */
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
/** An engine on a busy machine fails a question now and then and answers the next one. */
const TRIES_MAX = 5;
const RETRY_MS = 250;
const MISSING = /no (?:such )?(?:container|object)/i;
const DEFAULT_HOST = 'unix:///var/run/docker.sock';
const ANSWER_BYTES_MAX = 1_000_000;

/** Runs a program that only has to say something and end; what it says last is its error if it fails. */
export async function askEngine(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  clock: Clock,
  tag: string,
  msMax = ANSWER_MS_MAX,
): Promise<EngineAnswer> {
  const heard = { stdout: '', stderr: '' };
  const listen = (stream: keyof typeof heard) => (chunk: Uint8Array) => {
    if (heard[stream].length < ANSWER_BYTES_MAX)
      heard[stream] += Buffer.from(chunk).toString('utf8');
  };
  const group = new ProcessGroup(
    { argv, cwd: '/', env },
    { tag, clock, onStdout: listen('stdout'), onStderr: listen('stderr') },
  );
  const over = new AbortController();
  const exit = await Promise.race([group.ended, clock.sleep(msMax, over.signal)]);
  over.abort();
  if (typeof exit === 'boolean') {
    await group.kill();
    return { ok: false, text: `no answer within ${msMax} ms` };
  }
  const ok = exit.kind === 'code' && exit.code === 0;
  return { ok, text: ok ? heard.stdout : `${heard.stderr}${whyNot(exit)}` };
}

function readState(state: unknown): ContainerExitState | undefined {
  if (!isRecord(state)) return undefined;
  const startedAt = textOf(state['StartedAt']);
  return {
    started: startedAt !== '' && !startedAt.startsWith('0001-'),
    code: Number(state['ExitCode'] ?? -1),
    oomKilled: state['OOMKilled'] === true,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pidIn(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function whyNot(exit: HostExit): string {
  return exit.kind === 'not-started' ? exit.message : '';
}

/** A forced removal succeeds where there is no container; `inspect` fails there. */
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

  /** The engine's record of a container; undefined when there is none, or when the engine gives no answer. */
  async stateOf(container: string): Promise<ContainerExitState | undefined> {
    const direct = await this.#direct('GET', `/containers/${container}/json`);
    if (direct?.status === 200) {
      const whole = parseJson(direct.text);
      return isRecord(whole) ? readState(whole['State']) : undefined;
    }
    const { ok, text } = await this.#persist('inspect', '--format', '{{json .State}}', container);
    return ok ? readState(parseJson(text)) : undefined;
  }

  /** Ends a container if it still runs, and removes it. A container that does not exist counts as removed. */
  async remove(container: string): Promise<void> {
    const direct = await this.#direct('DELETE', `/containers/${container}?force=1&v=1`);
    if (direct?.status === 204 || direct?.status === 404) return;
    // One case of many: podman fails to remove a paused container that ends by itself as soon as it is killed.
    await this.#persist('rm', '--force', '--volumes', container);
  }

  /** Asks until the engine answers or says that there is no such container. */
  async #persist(...args: readonly string[]): Promise<EngineAnswer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.ask(...args);
      if (answer.ok || MISSING.test(answer.text) || tries === TRIES_MAX) return answer;
      await this.#clock.sleep(RETRY_MS * tries);
    }
  }

  /** Holds all of its processes still. False where this can't be done, or when it does not run. */
  async pause(container: string): Promise<boolean> {
    const direct = await this.#direct('POST', `/containers/${container}/pause`);
    if (direct !== undefined) return direct.status === 204;
    return (await this.ask('pause', container)).ok;
  }

  /** Lets it go on. It may have ended meanwhile, or have been killed, which lets it go on as well. */
  async unpause(container: string): Promise<void> {
    const direct = await this.#direct('POST', `/containers/${container}/unpause`);
    if (direct?.status === 204 || direct?.status === 404) return;
    await this.ask('unpause', container);
  }

  /** The command that ends and removes a container. It fails where there is none of that name. */
  removal(container: string): readonly string[] {
    const shell = this.#facts.tools.sh ?? '/bin/sh';
    return [shell, '-c', REMOVAL, 'supervisor-removal', this.#program, container];
  }

  /** The first process inside, by its number on this machine; undefined before it has started. */
  async pidOf(container: string): Promise<number | undefined> {
    const direct = await this.#direct('GET', `/containers/${container}/json`);
    const whole = direct?.status === 200 ? parseJson(direct.text) : undefined;
    if (isRecord(whole) && isRecord(whole['State'])) return pidIn(whole['State']['Pid']);
    if (direct !== undefined) return undefined;
    const { ok, text } = await this.ask('inspect', '--format', '{{.State.Pid}}', container);
    return ok ? pidIn(Number(text)) : undefined;
  }

  /** Past the client, which takes longer to start than the engine to answer; undefined where only it knows the way. */
  #direct(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<UnixAnswer | undefined> {
    const { DOCKER_HOST: host = DEFAULT_HOST, DOCKER_CONTEXT: context } = this.#facts.engineEnv;
    if (this.#backend !== 'docker' || context !== undefined || !host.startsWith('unix://'))
      return Promise.resolve(undefined);
    return requestUnix(host.slice('unix://'.length), method, path, ANSWER_MS_MAX);
  }

  /** The containers of ours whose policy's id is `idPrefix` or under it. */
  async ours(idPrefix: string): Promise<readonly string[]> {
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
