/** A day of an owner, for tests that look at every screen of the dashboard. */
import { writeHistory } from '../support/dashboard-history.ts';
import { eventually } from '../support/eventually.ts';
import { DashboardHarness, WAIT_MS } from './dashboard-harness.ts';

const CONFIG = `# The agents of this machine.
agents:
  - id: deep            # paid by the company
    cli: claude
    model: opus
  - {id: fast, cli: codex}
  - id: "scripted:lives-in-turns"
    cli: scripted
    args: [sleep]
selection:
  fallbacks: {deep: fast}
approvals: {high_paths: [sum.mjs]}
`;

const FEATURE = `id: P1T1
title: Pay by invoice
workflow: build
phases:
  - id: backend
    title: The backend
    components:
      - {id: model, title: The table of invoices, task: 'WRITE model.txt: one', files: [model.txt]}
      - {id: mail, title: The mail with the invoice, task: 'WRITE mail.txt: two', files: [mail.txt]}
      - {id: service, title: Creates and cancels invoices, task: 'WRITE service.txt: three', files: [service.txt], depends_on: [model]}
  - id: frontend
    title: The frontend
    components:
      - {id: form, title: A form to choose the invoice, task: 'WRITE form.txt: four', files: [form.txt]}
      - {id: list, title: The open invoices of a customer, task: 'WRITE list.txt: five', files: [list.txt], depends_on: [backend.service]}
`;

const BUILD = `description: Implements and lands a component
steps:
  implement: {role: implementer, next: commit}
  commit: {kind: commit}
`;

/** Runs of the last week, so that there is something to sum up. */
const HISTORY = 120;

const RED = `i=0; while [ $i -lt 60 ]; do echo "ok $i - a test that passes"; i=$((i+1)); done
echo "not ok 60 - the ranking keeps ties in order"; echo "  expected: [1, 2]"; echo "  actual:   [2, 1]"; exit 1
`;

export type Scene = AsyncDisposable & {
  readonly dashboard: DashboardHarness;
  /** Runs by what they show. */
  readonly working: string;
  readonly red: string;
  readonly review: string;
  readonly plan: string;
  /** A long-lived agent that works, and one that has no restarts left. */
  readonly docs: string;
  readonly builds: string;
};

export async function openScene(): Promise<Scene> {
  const dashboard = await DashboardHarness.open(CONFIG, {
    '.supervisor/workflows/build.yaml': BUILD,
    'invoices.yaml': FEATURE,
    'red.sh': RED,
  });
  try {
    await writeHistory(dashboard.cli.home.dir, HISTORY, Date.now());
    return {
      dashboard,
      ...(await play(dashboard)),
      [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
    };
  } catch (error) {
    await dashboard[Symbol.asyncDispose]();
    throw error;
  }
}

type Runs = Omit<Scene, 'dashboard' | keyof AsyncDisposable>;

async function play(dashboard: DashboardHarness): Promise<Runs> {
  const red = await dashboard.start(
    'Keep ties in order',
    'works-in-steps',
    '--once',
    '--gate',
    'sh red.sh',
  );
  const plan = await startFeature(dashboard);
  const working = await dashboard.start('Make the search fast', 'never-speaks');
  await dashboard.start('Which config does the import use?', 'asks-a-question');
  const failed = await dashboard.start('Fix the flaky tests', 'crashes', '--once');
  const docs = await spawn(dashboard, 'docs', 'Keep the docs in order', 'scripted:lives-in-turns');
  const builds = await spawn(dashboard, 'builds', 'Watch the nightly builds', 'scripted:crashes');
  const review = await dashboard.askForApproval('Add a sum to the shop.');
  await dashboard.reaches(failed, 'failed');
  await eventually(
    'the gate is red',
    async () => JSON.stringify(await dashboard.cli.events(red)).includes('run.ended'),
    WAIT_MS,
  );
  await eventually(
    'the builds have no restarts left',
    async () => /"restarts_exhausted":\s*true/.test(await dashboard.say('tree', '--all', '--json')),
    WAIT_MS,
  );
  await eventually(
    'the first phase has landed',
    async () => (await dashboard.say('merges', plan)).includes('service'),
    WAIT_MS,
  );
  return { working, red, review, plan, docs, builds };
}

async function startFeature(dashboard: DashboardHarness): Promise<string> {
  const more = [
    '--agent',
    'scripted:builds-components',
    '--capacity',
    '2',
    '--yes',
    '--detach',
    '--json',
  ];
  const started = JSON.parse(await dashboard.say('feature', 'start', 'invoices.yaml', ...more)) as {
    run_id: string;
  };
  await dashboard.say('merges', 'hold', started.run_id, 'frontend.form');
  return started.run_id;
}

async function spawn(
  dashboard: DashboardHarness,
  name: string,
  task: string,
  agent: string,
): Promise<string> {
  const free = ['--unsafe-no-sandbox', '--restart', 'restarts=2', '--restart', 'backoff_base=10ms'];
  const said = await dashboard.say(
    'spawn',
    task,
    '--name',
    name,
    '--agent',
    agent,
    ...free,
    '--json',
  );
  return (JSON.parse(said) as { run_id: string }).run_id;
}

/** Everything that a person can look at, with a text that shows that it has arrived. */
export function screensOf(
  scene: Scene,
): readonly (readonly [name: string, path: string, sees: string])[] {
  const { working, red, review, plan } = scene;
  return [
    ['now', '/', 'Fix the flaky tests'],
    ['empty', '/?q=is:paused', 'Nothing waits for you.'],
    ['wrong', '/?q=is:nothing', 'is not a value for is:'],
    ['run', `/runs/${working}`, 'attempt-1'],
    ['red', `/runs/${red}`, 'the ranking keeps ties'],
    ['review', `/runs/${review}/review`, 'export const add'],
    ['plans', '/plans', 'Pay by invoice'],
    ['plan', `/plans/${plan}`, 'frontend.form'],
    ['plan-table', `/plans/${plan}?as=table`, 'The frontend'],
    ['tree', '/tree', 'Keep the docs in order'],
    ['quota', '/quota', 'scripted:crashes'],
    ['agents', '/agents', 'Write the file'],
    ['no-run', '/runs/ffffffffff', 'There is no run'],
    ['no-plan', `/plans/${working}`, 'builds no feature'],
    ['nowhere', '/nowhere', 'There is no such page.'],
  ];
}
