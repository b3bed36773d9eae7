/** What --json prints about work in a sandbox, checked against the printed schemas: files, cost, diff, apply, calls. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { ApplyDocument } from '../../src/public-json/apply-result.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, strictModel } from '../support/gateway-harness.ts';
import { PrintedSchemas } from '../support/printed-schemas.ts';
import { CliHarness } from './cli-process-harness.ts';
import type { ShellResult } from './shell.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const WITHIN_MS = 60_000;

const { path, body } = questionOn('openai-chat', 'hello');
const question = JSON.stringify({ ...body, model: 'house-model' });
const SCRIPT = `echo hi > made.txt; curl -sf "$\{OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
  -H "authorization: Bearer $OPENAI_API_KEY" -d '${question}' && echo done`;
const CONFIG = JSON.stringify({
  agents: [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', SCRIPT] }],
  sandbox: { backend: 'bubblewrap' },
});
const RUN = ['run', 'x', '--agent', 'mine', '--gate', 'grep -q hi made.txt'];

class Scripts {
  readonly harness: CliHarness;
  readonly schemas: PrintedSchemas;

  constructor(harness: CliHarness) {
    this.harness = harness;
    const print = async (name: string) => (await harness.run(['schema', name])).stdout;
    this.schemas = new PrintedSchemas(print);
  }

  /** The document that the command prints first. All have to fit their schemas. */
  async first(
    names: readonly string[],
    ...words: readonly string[]
  ): Promise<ShellResult & { readonly document: unknown }> {
    const said = await this.harness.run([...words, '--json']);
    assert.deepEqual(await this.schemas.check(said.stdout, words.join(' ')), names);
    return { ...said, document: JSON.parse(said.stdout.split('\n', 1)[0] ?? '') };
  }
}

describe('--json about work in a sandbox', { skip, timeout: 600_000 }, () => {
  test('fits the schemas: the result, the diff, the apply and its undo, the calls, a notification', async () => {
    await using server = await strictModel();
    await using harness = await CliHarness.create(CONFIG);
    Object.assign(process.env, { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.url}/v1` });
    const scripts = new Scripts(harness);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: harness.project,
        encoding: 'utf8',
      });
    git('init', '--quiet', '--initial-branch=main');
    git('commit', '--quiet', '--allow-empty', '-m', 'first');
    const notice = join(harness.dir, 'notice.json');

    const notify = ['--notify', `tee ${notice}`];
    const ran = await scripts.first(['run-result'], ...RUN, ...notify);
    const result = RunResult.parse(ran.document);
    const { usage } = result;
    assert.deepEqual(
      [ran.code, result.state, result.files, result.gates.map(({ state }) => state)],
      [0, 'succeeded', [{ path: 'made.txt', added: 1, removed: 0 }], ['passed']],
      ran.stdout,
    );
    assert.deepEqual([usage.cost_usd, usage.known_cost_usd], [null, null], 'it has no price');
    assert.ok(Number(usage.total_tokens) > 0);
    const run = result.run_id;
    await eventually('the notification', () => existsSync(notice), WITHIN_MS);
    const isWhole = (): boolean => readFileSync(notice, 'utf8').endsWith('\n');
    await eventually('all of it', isWhole, WITHIN_MS);
    const told = await scripts.schemas.check(readFileSync(notice, 'utf8'), 'the notification');
    assert.deepEqual(told, ['notification']);

    await scripts.first(['model-calls'], 'logs', run, '--calls');
    await scripts.first(['diff'], 'diff', run);
    for (const [words, state] of [
      [['apply', run], 'applied'],
      [['apply', run], 'unchanged'],
      [['apply', '--undo'], 'undone'],
      [['apply', run, '--branch', 'work'], 'applied'],
    ] as const) {
      const { document } = await scripts.first(['apply'], ...words);
      assert.equal(ApplyDocument.parse(document).state, state);
    }
    await scripts.first(['status'], 'status', run);
    await scripts.first(['why'], 'why', run);
    await scripts.first(['report'], 'report');
    await scripts.first(['events'], 'events');

    await harness.run(['prices', 'set', 'house-model', '--input', '100', '--output', '200']);
    const applying = await scripts.first(['run-result'], ...RUN, '--apply');
    const second = RunResult.parse(applying.document);
    assert.ok(Number(second.usage.cost_usd) > 0, applying.stdout);
    assert.deepEqual(
      [second.exit_code, second.applied?.files_changed, second.apply_error],
      [0, 1, null],
    );
    await scripts.first(['sandbox-check'], 'sandbox', 'check', '--backend', 'bubblewrap');
    await scripts.first(['discard'], 'discard', run);
    await scripts.first(['down'], 'down');
    const none = await scripts.first(['owner'], 'owner', 'status');
    assert.deepEqual((none.document as { owner: unknown }).owner, null);
    const stopped = await scripts.first(['down'], 'owner', 'stop');
    assert.deepEqual((stopped.document as { ended: unknown }).ended, false);
  });
});
