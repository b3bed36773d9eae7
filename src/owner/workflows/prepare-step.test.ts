import assert from 'node:assert/strict';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { commandKey } from '../../base/ids.ts';
import { BriefStore } from '../../brief/brief-store.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { WorkflowLimits } from '../../protocol/workflow-definition.ts';
import type {
  PrepareStepInput,
  PrepareStepResult,
  WorkPoint,
} from '../../protocol/contracts/workflow-contract.ts';
import { toSettings } from '../../settings/settings.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openTrustedProject } from '../../../test/support/trust-project.ts';
import { definition, gate, review, role } from '../../../test/support/workflow-fixture.ts';
import { buildSubmission } from '../runs/submission.ts';
import { inCopies, pinRoles } from './pin-roles.ts';
import { EarlyPrompts, writeEarlyPrompts } from './early-prompts.ts';
import { prepareStepPerformer } from './prepare-step.ts';

const RUN = 'a000000000' as RunId;
const SECRET = 'correct-horse-battery';
const TEST_GATE = { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 };
const DEFINITION = definition({
  implement: role('careful', 'check', { description: 'write the code', timeoutMs: 5000 }),
  check: gate([TEST_GATE], 'review'),
  review: review(['reviewer'], null),
});
const CAREFUL =
  'extends: implementer\ncli: main\nsystem_prompt: BE CAREFUL.\ngates:\n  - {name: spell, command: spell, on_fail: warn}\n';

class Steps implements AsyncDisposable {
  readonly project: string;
  readonly home: string;
  readonly store: BriefStore;
  readonly #dir: AsyncDisposable;
  readonly #git;
  readonly #early = new EarlyPrompts(systemClock);
  submission: WorkflowSubmission | undefined;

  private constructor(root: string, dir: AsyncDisposable) {
    this.project = join(root, 'project');
    this.home = join(root, 'home');
    this.store = new BriefStore(join(this.home, 'briefs'));
    this.#dir = dir;
    const git = which('git', process.env) ?? 'git';
    this.#git = {
      git,
      clock: systemClock,
      tag: `prepare-step-test:${process.pid}`,
      userHome: '/nonexistent',
    };
  }

  /** A project with a workflow that is already submitted. */
  static async submit(targets: readonly string[] = []): Promise<Steps> {
    const dir = await tempDir();
    const at = new Steps(await realpath(dir.path), dir);
    await at.write('src/cart.ts', 'export const total = 1;\n');
    await at.write('.supervisor/roles/careful.yaml', CAREFUL);
    const { home } = at;
    const project = await openTrustedProject(home, at.project);
    const settings = toSettings({ agents: [{ id: 'main', cli: 'scripted' }] }, '/u');
    const request = { task: 'Fix it.', project: at.project };
    const parts = { environment: { variables: {}, isFromShell: false, scriptedInProject: true } };
    const ports = { home, project, parts, defaultAgent: async () => null };
    const roles = await pinRoles(DEFINITION, request, settings, ports);
    const pinned = inCopies(buildSubmission(request, settings, parts).settings);
    const workflow = { definition: DEFINITION, taskId: 't1', roles, targets };
    at.submission = {
      ...request,
      program: 'workflow',
      path: '/shell/bin',
      settings: { ...pinned, workflow },
    };
    return at;
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.project, path)), { recursive: true });
    await writeFile(join(this.project, path), text);
  }

  /** The work of an earlier step. */
  async work(path: string, text: string): Promise<WorkPoint> {
    const run = 'b000000000' as RunId;
    const request = { path: this.project, home: this.home, run, attempt: 1 };
    const workspace = await createWorkspace(request, this.#git);
    await writeFile(join(workspace.work, path), text);
    const { commit } = await commitWorkspace(workspace.id, this.#git);
    workspace.release();
    return { run, tree: 1, commit, content: '' };
  }

  /** Other limits of the workflow. */
  limit(limits: Partial<WorkflowLimits>): void {
    if (this.submission === undefined) assert.fail('no workflow is submitted');
    const { settings } = this.submission;
    const { definition: before } = settings.workflow;
    const changed = { ...before, limits: { ...before.limits, ...limits } };
    const workflow = { ...settings.workflow, definition: changed };
    this.submission = { ...this.submission, settings: { ...settings, workflow } };
  }

  get #host(): ExecutionHost {
    const { clock, git, tag } = this.#git;
    const userDir = '/nonexistent';
    const host: Partial<ExecutionHost> = { git, clock, stateDir: this.home, userDir };
    return { ...host, tagOf: () => tag } as ExecutionHost;
  }

  /** Writes the first prompts as the submission does, for the run of `prepare`. */
  async writeEarly(): Promise<void> {
    const ports = { host: this.#host, store: this.store, secrets: [{ SHOP_KEY: SECRET }] };
    if (this.submission === undefined) assert.fail('no workflow is submitted');
    const { clock } = this.#git;
    this.#early.keep(RUN, await writeEarlyPrompts(this.submission, clock.now(), ports));
  }

  prepare(input: Partial<PrepareStepInput>): Promise<PrepareStepResult> {
    const performer = prepareStepPerformer({
      host: this.#host,
      early: this.#early,
      store: this.store,
      submissionOf: async () => this.submission,
      admit: () => Promise.resolve({ kind: 'pass', isCounted: false }),
      secretsOf: () => ({ SHOP_KEY: SECRET }),
    });
    const { signal } = new AbortController();
    const context = { cancelSignal: signal, killSignal: signal, note: async () => {} };
    const whole: PrepareStepInput = {
      project: this.project,
      task: 'Fix it.',
      step: 'implement',
      role: 'careful',
      work: null,
      outputs: {},
      feedback: null,
      level: 'full',
      gatesOf: [],
      ...input,
    };
    return performer.perform({ run: RUN, key: commandKey('prepare-1'), input: whole }, context);
  }

  /** The settings of the run that was prepared, and its prompt. */
  async prepared(input: Partial<PrepareStepInput>) {
    const result = await this.prepare(input);
    if (result.kind !== 'prepared') assert.fail(result.why);
    const { settings } = result.submission;
    return { ...result.submission, prompt: await this.store.read(settings.brief?.hash ?? '') };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#dir[Symbol.asyncDispose]());
  }
}

describe('the run of a step', () => {
  test('gets the pinned settings of its role, the gates that follow, and the work to start with', async () => {
    await using at = await Steps.submit();
    const work = await at.work('src/cart.ts', 'export const total = 2;\n');
    const size = { files: 1, added: 1, deleted: 1, names: [] };
    const { prompt: _, ...made } = await at.prepared({
      work: { ...work, ...size },
      gatesOf: ['check'],
    });
    const { settings, ...rest } = made;
    assert.deepEqual(rest, {
      program: 'attempts',
      task: 'implement: Fix it.',
      project: at.project,
      path: '/shell/bin',
    });
    const { gates, startsFrom, recovery, deadlineMs, agent, brief } = settings;
    assert.deepEqual(
      gates?.map(({ name, warns = false }) => [name, warns]),
      [
        ['spell', true],
        ['test', false],
      ],
    );
    assert.deepEqual(startsFrom, work);
    assert.deepEqual([recovery.preset, recovery.retriesPerAgent], ['step-feedback', 0]);
    assert.equal(deadlineMs, 5000);
    assert.deepEqual([agent.id, 'inProject' in agent], ['main', false]);
    assert.deepEqual([brief?.role, brief?.answer], ['careful', 'implementation']);
  });

  test('is told the task, what earlier steps answered, and why it runs again', async () => {
    await using at = await Steps.submit();
    const { prompt } = await at.prepared({
      outputs: { 'plan.summary': `Add a cache. ${SECRET}` },
      feedback: { category: 'logic', visit: 2, from: 'check', text: 'not ok 1 - adds' },
      level: 'minimal',
    });
    for (const part of [
      /Fix it\.\n\nYour part is the step implement: write the code\./,
      /plan\.summary:\nAdd a cache\./,
      /The step check sent the work back\. You are here for the second time\.\n\nnot ok 1 - adds/,
      /Write only stubs that compile/,
    ])
      assert.match(prompt, part);
    assert.doesNotMatch(prompt, new RegExp(SECRET));
  });

  test('has a short prompt beside it if it continues a conversation', async () => {
    await using at = await Steps.submit();
    const continues = {
      ...{ agent: 'main', identity: 'scripted', session: 's1' },
      ...{ run: 'b000000000', folderOf: 'c000000000' },
    };
    const { prompt, settings } = await at.prepared({
      continues,
      outputs: { 'plan.summary': `Add a cache. ${SECRET}` },
      feedback: { category: 'person', visit: 2, from: 'look', text: 'Make it smaller.' },
    });
    assert.match(prompt, /BE CAREFUL\./);
    const { prompt: short = '', ...rest } = settings.continues ?? {};
    assert.deepEqual(rest, continues);
    for (const part of [
      /^You continue this conversation with another step/,
      /Fix it\.\n\nYour part is the step implement: write the code\./,
      /plan\.summary:\nAdd a cache\./,
      /The step look sent the work back\. You are here for the second time\.\n\nMake it smaller\./,
    ])
      assert.match(short, part);
    assert.doesNotMatch(short, new RegExp(`BE CAREFUL|${SECRET}`));
    assert.equal((await at.prepared({})).settings.continues, undefined);
  });

  test('sees the work of earlier steps and not the project', async () => {
    await using at = await Steps.submit();
    const work = await at.work('src/cart.ts', 'export const total = 2;\n');
    await at.write('src/cart.ts', 'edited by the user\n');
    const { prompt } = await at.prepared({ step: 'review', role: 'reviewer', work });
    assert.match(prompt, /-export const total = 1;\n\+export const total = 2;/);
    assert.doesNotMatch(prompt, /edited by the user/);
    const [project = ''] = await readdir(join(at.home, 'projects'));
    assert.deepEqual(await readdir(join(at.home, 'projects', project, 'scratch')), []);
  });

  test('shows the files that the user or a plan named, unless they are gone', async () => {
    await using at = await Steps.submit(['src/gone.ts']);
    const components = [{ id: 'a', files: ['src/cart.ts', 'src/new.ts'] }];
    const outputs = { 'plan.phases': [{ id: 'p', components }] };
    const { prompt } = await at.prepared({ outputs });
    assert.match(prompt, /export const total = 1;/);
    assert.doesNotMatch((await at.prepared({})).prompt, /export const total = 1;/);
  });

  test('gets no larger prompt than its workflow allows, whatever its role sets', async () => {
    await using at = await Steps.submit(['src/cart.ts']);
    const rows = Array.from({ length: 1000 }, (_, nth) => `export const part${nth} = ${nth};`);
    await at.write('src/cart.ts', `${rows.join('\n')}\n`);
    assert.match((await at.prepared({})).prompt, /part999/);
    at.limit({ tokensMax: 4000 });
    const bounded = await at.prepare({});
    assert.match(
      bounded.kind === 'refused' ? bounded.why : '',
      /^The part target_file does not fit: .* of the budget of 4000 are usable/,
    );
  });

  test('keeps its role as it was when the workflow was submitted', async () => {
    await using at = await Steps.submit();
    const before = await at.prepared({});
    await at.write(
      '.supervisor/roles/careful.yaml',
      'extends: implementer\nsystem_prompt: BE QUICK.\n',
    );
    assert.deepEqual(await at.prepared({}), before);
    assert.match(before.prompt, /BE CAREFUL\./);
  });

  test('begins with the prompt that the submission has written, if it is for the same input', async () => {
    await using at = await Steps.submit();
    const breaker = { workflow: DEFINITION.name, isForced: false };
    const input = { gatesOf: ['check'], breaker };
    const { prompt: before } = await at.prepared(input);
    await at.writeEarly();
    await at.write('src/new.ts', 'export const added = 1;\n');
    const early = await at.prepared(input);
    const late = await at.prepared(input);
    assert.deepEqual([early.prompt === before, /new\.ts/.test(late.prompt)], [true, true]);
  });

  test('is refused with the reason if its work is gone or its role is unknown', async () => {
    await using at = await Steps.submit();
    const work = { run: 'c000000000', tree: 1, commit: '1'.repeat(40), content: '' };
    const gone = await at.prepare({ work });
    assert.match(
      gone.kind === 'refused' ? gone.why : '',
      /The workspace of attempt 1 of run c000000000 is gone/,
    );
    const unknown = await at.prepare({ role: 'painter' });
    assert.deepEqual(unknown, { kind: 'refused', why: 'the workflow has no role "painter"' });
  });
});
