/**
 * Runs the setup and the gates of a project once, on its files as they are now, with the performers of a run. So the
 * user sees before the first run whether they work. It writes no journal. The results of the setup and of the gates
 * are stored as after a run, and the first run reuses them.
 */
import { commandKey, newRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import type { CommandContext } from '../../engine/performer.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import {
  describeOtherProgram,
  findOtherProgram,
} from '../../execution/environments/other-program.ts';
import { grantedTo } from '../../execution/environments/prepare-tree.ts';
import { judgeProject } from '../../gates/baseline/judge-project.ts';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { scratchDir } from '../../host/files/scratch-folder.ts';
import { redByReport, testsCounted } from '../../protocol/words/gate-caveats.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { redWords } from '../../protocol/words/red-gate-words.ts';
import type { SetupOutcome } from '../../protocol/contracts/setup-contract.ts';
import type { BaseCheckRequest, BaseCheckStep } from '../../protocol/views/base-check-view.ts';
import type { Settings } from '../../settings/settings.ts';
import type { SetupPorts } from '../../setup/perform-setup.ts';
import { setupPerformer } from '../../setup/perform-setup.ts';
import { gateTreeOfProject } from '../../workspace/gate-tree.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { projectSettings } from '../project-settings.ts';

export type BaseCheckPorts = { readonly options: OwnerOptions; readonly host: ExecutionHost };

type StepEnd = Pick<BaseCheckStep, 'state' | 'summary' | 'tail'>;

/** Each step twice: as it starts and as it ends. Ends early if `signal` aborts. Refuses if no sandbox works. */
export async function* checkBase(
  { project }: BaseCheckRequest,
  { options, host }: BaseCheckPorts,
  signal: AbortSignal,
): AsyncGenerator<BaseCheckStep, void> {
  const { settings } = await projectSettings(options, project, {});
  const { backend, image } = settings.sandbox;
  // Without a sandbox neither a setup nor a gate can run, and none of them is to blame.
  if (settings.setup !== null || settings.gates.length > 0)
    await host.chooseBackend({ backend, image, unsafe: false });
  await ensurePrivateDir(host.stateDir);
  await using output = await scratchDir(host.stateDir);
  const check = new BaseCheck(project, settings, host, output.path, signal);
  let setupKey: string | null | undefined = null;
  if (settings.setup !== null) {
    const { command } = settings.setup;
    const note = await check.note(command);
    const step = { kind: 'setup', name: 'setup', command: [...command], note } as const;
    yield begun(step);
    const beganMs = host.clock.elapsedMs();
    const outcome = await check.setup(settings.setup);
    setupKey = outcome.kind === 'ready' ? outcome.key : undefined;
    yield { ...step, ...setupEnd(outcome), durationMs: host.clock.elapsedMs() - beganMs };
  }
  for (const gate of settings.gates) {
    if (signal.aborted) return;
    const note = await check.note(gate.command);
    const step = { kind: 'gate', name: gate.name, command: [...gate.command], note } as const;
    if (setupKey === undefined) {
      const summary = 'the setup is not ready';
      yield { ...step, state: 'skipped', durationMs: null, summary, tail: '' };
      continue;
    }
    yield begun(step);
    const beganMs = host.clock.elapsedMs();
    const end = gateEnd(await check.gate(gate, setupKey));
    yield { ...step, ...end, durationMs: host.clock.elapsedMs() - beganMs };
  }
}

function begun(step: Pick<BaseCheckStep, 'kind' | 'name' | 'command' | 'note'>): BaseCheckStep {
  return { ...step, state: 'started', durationMs: null, summary: '', tail: '' };
}

/** The performers of a run, for commands that belong to no run. */
class BaseCheck {
  readonly #project: string;
  readonly #settings: Settings;
  readonly #host: ExecutionHost;
  readonly #outputDir: () => Promise<string>;
  readonly #context: CommandContext<'setup' | 'gate'>;
  /** No journal has a run with this id. It only names processes. */
  readonly #run: RunId;
  #gates = 0;

  constructor(
    project: string,
    settings: Settings,
    host: ExecutionHost,
    output: string,
    signal: AbortSignal,
  ) {
    this.#project = project;
    this.#settings = settings;
    this.#host = host;
    this.#outputDir = () => Promise.resolve(output);
    this.#run = newRunId(host.random);
    // A cancelled command is killed after its grace period, so there is no second signal.
    const killSignal = new AbortController().signal;
    this.#context = { cancelSignal: signal, killSignal, note: () => Promise.resolve() };
  }

  setup(setup: NonNullable<Settings['setup']>): Promise<SetupOutcome> {
    const { sandbox } = this.#settings;
    const performer = setupPerformer({
      ...this.#host,
      outputDir: this.#outputDir,
      openBase: this.#openBase,
    });
    const input = { ...setup, project: this.#project, sandbox, worksInProject: false };
    const request = { run: this.#run, key: commandKey('base-setup'), input };
    return performer.perform(request, this.#context);
  }

  gate(gate: Settings['gates'][number], setupKey: string | null): Promise<GateOutcome> {
    const { sandbox } = this.#settings;
    const input = {
      ...gate,
      project: this.#project,
      sandbox,
      unsafe: false,
      ...(setupKey === null ? {} : { setupKey }),
    };
    const key = commandKey(`base-gate-${(this.#gates += 1)}`);
    const ports = { ...this.#host, outputDir: this.#outputDir };
    return judgeProject({ run: this.#run, key, input }, this.#context, ports);
  }

  /** Empty, unless the sandbox has another version of a language than the shell. */
  async note(command: readonly string[]): Promise<string> {
    const { userDir, stateDir, env } = this.#host;
    const places = { userDir, stateDir, root: this.#project };
    const { path: granted } = grantedTo(this.#settings.sandbox, places);
    const other = await findOtherProgram(command, { project: this.#project, granted, env });
    if (other === undefined) return '';
    const { words, hint } = describeOtherProgram(other);
    return `${words}. ${hint}`;
  }

  readonly #openBase: SetupPorts['openBase'] = async (request) => {
    const ports = workspacePortsFor(this.#host, request);
    const location = { path: this.#project, home: this.#host.stateDir };
    const { root } = await inspectProject(ports, location);
    const tree = await gateTreeOfProject(location.path, location.home, ports);
    const { repo, commit: base, inside, repositories } = tree;
    return { repo, record: { root, base, inside, repositories } };
  };
}

function setupEnd(outcome: SetupOutcome): StepEnd {
  switch (outcome.kind) {
    case 'ready':
    case 'not-needed':
      return { state: 'passed', summary: outcome.summary, tail: '' };
    case 'failed':
      return { state: 'failed', summary: outcome.message, tail: outcome.tail };
    case 'refused':
      return { state: 'unable', summary: outcome.message, tail: '' };
    case 'stopped':
      return { state: 'unable', summary: 'it was stopped', tail: '' };
  }
}

function gateEnd(outcome: GateOutcome): StepEnd {
  switch (outcome.kind) {
    case 'passed':
      return { state: 'passed', summary: testsCounted(outcome), tail: '' };
    case 'failed': {
      const { exit, tail, counted, failures } = outcome;
      const code = exit === null ? '' : `exit code ${exit}`;
      const summary = [redByReport(outcome), testsCounted(outcome), code].find((one) => one !== '');
      // With the name of the failed test, or the line that says most, a person need not read a stack.
      const words = redWords({ output: tail, counted, failures });
      const isKnown = words === '' || (summary ?? '').includes(words) || isSilent(tail);
      const told = isKnown ? '' : `: ${words}`;
      return { state: 'failed', summary: `${summary ?? ''}${told}`, tail };
    }
    case 'unable':
      return { state: 'unable', summary: describeUnable(outcome), tail: '' };
  }
}

/** A gate without output has only its exit code. */
function isSilent(tail: string): boolean {
  return tail.startsWith('[supervisor] this check printed nothing');
}

function describeUnable({ why, meant }: Extract<GateOutcome, { kind: 'unable' }>): string {
  return meant === undefined ? why : `${why}. Did you mean: ${meant}?`;
}
