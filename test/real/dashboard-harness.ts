/** A real owner with scripted agents, its dashboard, and real browsers that look at it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { which } from '../../src/host/process/which.ts';
import { isRecord, parseJson } from '../../src/base/json.ts';
import type { CliHarness } from '../e2e/cli-process-harness.ts';
import { newRepository } from '../e2e/new-repository.ts';
import { eventually } from '../support/eventually.ts';
import { trustProject } from '../support/trust-project.ts';

const CHROMIUM = '/usr/bin/chromium';
const missing = [
  ...(existsSync(CHROMIUM) ? [] : ['chromium']),
  ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
];
export const noBrowser = missing.length > 0 ? `missing: ${missing.join(', ')}` : false;

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Waits in the page have this bound. The machine may be busy. */
export const WAIT_MS = 60_000;

/** A person reviews the work of one step. */
const WORKFLOW = `description: One step and a person
initial_step: implement
steps:
  implement: {role: implementer, next: look}
  look: {kind: human, on_reject: implement}
`;

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
};

export class DashboardHarness implements AsyncDisposable {
  readonly cli: CliHarness;
  readonly #env: NodeJS.ProcessEnv;
  readonly #end: () => Promise<void>;
  readonly #browsers: { readonly context: BrowserContext; readonly folder: string }[] = [];
  /** What went wrong in the pages: errors of scripts, and what the policy of the page has blocked. */
  readonly complaints: string[] = [];

  private constructor(cli: CliHarness, env: NodeJS.ProcessEnv, end: () => Promise<void>) {
    this.cli = cli;
    this.#env = env;
    this.#end = end;
  }

  static async open(
    config = '',
    files: Readonly<Record<string, string>> = {},
  ): Promise<DashboardHarness> {
    const given = await newRepository({
      '.supervisor/workflows/small.yaml': WORKFLOW,
      'package.json': '{"type":"module"}\n',
      ...files,
    });
    const { harness, env } = given;
    const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
    for (const line of [
      ['add', '--all'],
      ['commit', '--quiet', '-m', 'first'],
    ])
      execFileSync('git', [...who, ...line], { cwd: harness.project });
    if (config !== '') await harness.configure(config);
    await trustProject(harness.home.dir, harness.project);
    return new DashboardHarness(harness, env, async () => {
      await given[Symbol.asyncDispose]();
    });
  }

  /** Starts a run in the background. */
  async start(task: string, agent: string, ...more: readonly string[]): Promise<string> {
    const args = ['run', task, '--agent', `scripted:${agent}`, '--detach', ...more];
    return (await this.say(...args)).trim();
  }

  /** Types a command that succeeds, with agents that work in a copy of the project. */
  async say(...argv: readonly string[]): Promise<string> {
    const env = { ...this.#env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
    const { code, stdout, stderr } = await this.cli.run(argv, { env });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  /** A run whose change waits for an approval. */
  async askForApproval(task = 'Add a sum.', agent = 'plays-every-role'): Promise<string> {
    const run = await this.start(task, agent, '--workflow', 'small');
    await this.reaches(run, 'awaiting_input');
    return run;
  }

  async reaches(run: string, state: string): Promise<void> {
    await eventually(
      `run ${run} is ${state}`,
      async () => (await this.cli.stateOf(run)) === state,
      WAIT_MS * 2,
    );
  }

  /** The address of a new link. */
  async link(...options: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli.run(['dashboard', '--json', ...options]);
    assert.equal(code, 0, stdout + stderr);
    const document = parseJson(stdout);
    return isRecord(document) ? String(document['url']) : assert.fail(stdout);
  }

  /** A new browser with an empty profile. */
  async browser({ width = 1280, height = 900, colorScheme = 'light' }: Look = {}): Promise<Page> {
    const folder = await mkdtemp(join(tmpdir(), 'supervisor-browser-'));
    const context = await chromium.launchPersistentContext(folder, {
      ...{ executablePath: CHROMIUM, headless: true, args: ARGS, colorScheme },
      viewport: { width, height },
    });
    this.#browsers.push({ context, folder });
    context.setDefaultTimeout(WAIT_MS);
    const page = context.pages()[0] ?? (await context.newPage());
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|Trusted/i.test(message.text()))
        this.complaints.push(message.text());
    });
    return page;
  }

  /** A browser that has followed a link. */
  async visit(path = '/', look: Look = {}, ...options: readonly string[]): Promise<Page> {
    const page = await this.browser(look);
    const url = await this.link(...options);
    await page.goto(url);
    await page.getByText('live', { exact: true }).waitFor();
    if (path !== '/') await page.goto(new URL(path, url).href);
    return page;
  }

  /** Keeps a picture if a person wants to look at it. */
  async picture(page: Page, name: string): Promise<void> {
    const folder = process.env['DASHBOARD_PICTURES'];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { context, folder } of this.#browsers) {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
    await this.#end();
  }
}
