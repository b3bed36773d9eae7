/** A project, the work of an attempt on it, and gates that really judge it. */
import { execFileSync } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommittedAttempt } from '../../src/execution/committed-attempt.ts';
import type { GatePorts } from '../../src/gates/perform-gate.ts';
import { gatePerformer } from '../../src/gates/perform-gate.ts';
import { defined } from '../../src/base/defined.ts';
import type { RunId } from '../../src/base/ids.ts';
import { commandKey } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { ensurePrivateDir } from '../../src/host/files/atomic-files.ts';
import { readOutput } from '../../src/host/output/read-output.ts';
import { machineNetwork } from '../../src/gateway/network/machine-network.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import { which } from '../../src/host/process/which.ts';
import { defaultSettings } from '../../src/settings/settings.ts';
import type { BackendChoice, BackendRequest } from '../../src/sandbox/choose-backend.ts';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { EarlierCommit } from '../../src/workspace/create-workspace.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import type { WorkspaceId } from '../../src/workspace/workspace.ts';
import type { WorkPoint } from '../../src/protocol/contracts/workflow-contract.ts';
import type { GateInput, GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';

const RUN = 'a000000000' as RunId;

export type Judgement = {
  readonly outcome: GateOutcome;
  readonly notes: readonly Record<string, Json>[];
  readonly output: string;
};

export type GateOptions = Partial<GateInput> & {
  readonly kept?: CommittedAttempt;
  readonly choose?: (request: BackendRequest) => Promise<BackendChoice>;
  readonly cancelSignal?: AbortSignal;
};

/** The machine as gates see it. `root`: the folder of a test. */
export function gatePorts({
  root,
  home,
  tag,
}: Readonly<Record<'root' | 'home' | 'tag', string>>): Omit<GatePorts, 'outputDir' | 'findCommit'> {
  return {
    clock: systemClock,
    random: systemRandom,
    stateDir: home,
    socketDir: home,
    homeId: 'test',
    ownerEnv: process.env,
    network: machineNetwork,
    sandboxLabel: (run, key) => `test/${run}/${key}`,
    userDir: join(root, 'user'),
    env: { PATH: process.env['PATH'] ?? '', HOME: join(root, 'user') },
    facts: () => probeFacts(process.env),
    git: which('git', process.env) ?? '',
    tagOf: (run, key) => `${tag}/${run}/${key}`,
    chooseBackend: async ({ unsafe }) => ({
      backend: unsafe ? 'none' : 'bubblewrap',
      enforced: null,
      canary: 'remembered',
    }),
  };
}

export class GateHarness implements AsyncDisposable {
  readonly root: string;
  readonly project: string;
  readonly #dir: AsyncDisposable;
  #kept: CommittedAttempt = { kind: 'in-project' };
  #gates = 0;
  /** The agent's own tree, if it has one. */
  work = '';

  private constructor(root: string, dir: AsyncDisposable) {
    this.root = root;
    this.project = join(root, 'project');
    this.#dir = dir;
  }

  /**
   * `base` is a shell script that runs in the project; `work` is another, in the agent's own tree.
   */
  static async create(base: string, work?: string): Promise<GateHarness> {
    const dir = await tempDir();
    const harness = new GateHarness(await realpath(dir.path), dir);
    await mkdir(harness.project);
    const me = '-c user.name=a -c user.email=a@b';
    harness.#shell(
      harness.project,
      `${base}\ngit init -q && git add -A && git ${me} commit -qm first --allow-empty`,
    );
    if (work !== undefined) await harness.#work(work);
    return harness;
  }

  async #work(script: string): Promise<void> {
    const { workspace, commit } = await this.#runIn(RUN, script);
    this.#kept = { kind: 'committed', workspace, commit };
  }

  /** The work of another run, which starts with the work of the first one. */
  async nextStep(run: string, script: string): Promise<WorkPoint> {
    const earlier = this.#kept;
    if (earlier.kind !== 'committed') throw new Error('there is no work yet');
    const { commit } = await this.#runIn(run as RunId, script, earlier);
    return { run, tree: 1, commit, content: '' };
  }

  async #runIn(
    run: RunId,
    script: string,
    earlier?: EarlierCommit,
  ): Promise<{ readonly workspace: WorkspaceId; readonly commit: string }> {
    const ports = {
      git: which('git', process.env) ?? '',
      clock: systemClock,
      tag: this.tag,
      userHome: '/nonexistent',
    };
    const findEarlierWork = async (): Promise<EarlierCommit | undefined> => earlier;
    const workspace = await createWorkspace(
      { path: this.project, home: this.home, run, attempt: 1, findEarlierWork },
      ports,
    );
    this.work = workspace.work;
    this.#shell(workspace.work, script);
    const { commit } = await commitWorkspace(workspace.id, ports);
    workspace.release();
    return { workspace: workspace.id, commit };
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get tag(): string {
    return `gate-test:${process.pid}`;
  }

  async judge(command: readonly string[], options: GateOptions = {}): Promise<Judgement> {
    this.#gates += 1;
    const { kept: saved = this.#kept, choose, cancelSignal, ...more } = options;
    const notes: Record<string, Json>[] = [];
    const outputDir = async (): Promise<string> => {
      await ensurePrivateDir(join(this.home, 'outputs'));
      return join(this.home, 'outputs');
    };
    const performer = gatePerformer({
      ...gatePorts({ root: this.root, home: this.home, tag: this.tag }),
      ...defined({ chooseBackend: choose }),
      outputDir,
      findCommit: async () => saved,
    });
    const input: GateInput = {
      name: 'check',
      command,
      timeoutMs: 60_000,
      project: this.project,
      attempt: 1,
      sandbox: defaultSettings.sandbox,
      unsafe: false,
      ...more,
    };
    const key = commandKey(`gate-1-${this.#gates}`);
    const outcome = await performer.perform(
      { run: RUN, key, input: { ...input } },
      {
        cancelSignal: cancelSignal ?? new AbortController().signal,
        killSignal: new AbortController().signal,
        note: async (fact) => void notes.push({ ...fact }),
      },
    );
    const read = (stream: string): Promise<string> =>
      readOutput(join(this.home, 'outputs'), `${key}-${stream}`).catch(() => '');
    return {
      outcome,
      notes,
      output: (await read('stdout')) + (await read('stderr')),
    };
  }

  #shell(cwd: string, script: string): void {
    execFileSync('sh', ['-ec', script], { cwd });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}
