/** A run under a budget in US dollars whose model has no price: what a person sees, and each way to continue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import type { StatusDocument } from '../../src/public-json/status-document.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, strictModel } from '../support/gateway-harness.ts';
import { CliHarness } from './cli-process-harness.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const WITHIN_MS = 60_000;

const { path, body } = questionOn('openai-chat', 'hello');
const question = JSON.stringify({ ...body, model: 'house-model' });
const SCRIPT = `curl -sf "$\{OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
  -H "authorization: Bearer $OPENAI_API_KEY" -d '${question}' && echo done`;
const CONFIG = JSON.stringify({
  agents: [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', SCRIPT] }],
  budget: { usd: 1 },
  sandbox: { backend: 'bubblewrap' },
});

type Run = StatusDocument['runs'][number];

async function view(harness: CliHarness, run: string): Promise<Run> {
  return (await harness.runs(run))[0] ?? assert.fail(`no run ${run}`);
}

async function said(harness: CliHarness, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await harness.run(args);
  return `${stdout}${stderr}`;
}

describe('a model without a price', { skip, timeout: 300_000 }, () => {
  test('is its own reason, and a person sets a price, caps tokens or continues', async () => {
    await using server = await strictModel();
    await using harness = await CliHarness.create(CONFIG);
    Object.assign(process.env, { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.url}/v1` });
    const asking = async (): Promise<string> => {
      const { stdout } = await harness.run(['run', 'x', '--agent', 'mine', '--detach']);
      const run = stdout.trim();
      const asks = async (): Promise<boolean> =>
        (await view(harness, run)).state === 'awaiting_input';
      await eventually('the run asks', asks, WITHIN_MS);
      return run;
    };
    const ended = async (run: string): Promise<Run> => {
      const isOver = async (): Promise<boolean> => (await view(harness, run)).ended_at !== null;
      await eventually('the run has ended', isOver, WITHIN_MS);
      return view(harness, run);
    };

    const unasked = await harness.run(['run', 'x', '--agent', 'mine', '--no-ask', '--json']);
    const { state: blocked, error, exit_code: code } = RunResult.parse(JSON.parse(unasked.stdout));
    assert.deepEqual(
      [unasked.code, code, blocked, error?.code],
      [1, 1, 'blocked', 'attempt.price-unknown'],
    );

    const capped = await asking();
    for (const command of [['inbox'], ['why', capped]]) {
      const words = await said(harness, ...command);
      assert.match(words, /The price of house-model is unknown/);
      assert.doesNotMatch(words, /budget of this run is spent|\$0\.00/);
    }
    assert.match(await said(harness, 'inbox'), /Answer with one of retry, cap, /);
    assert.match(await said(harness, 'answer', capped, 'cap'), /needs a number of tokens/);
    const tokens = ['--budget-tokens', '100000'];
    assert.match(
      await said(harness, 'answer', capped, 'continue', ...tokens),
      /belongs to continue if/,
    );
    await said(harness, 'answer', capped, 'cap', ...tokens);
    const { state, reason, usage } = await ended(capped);
    assert.equal(state, 'unverified', reason ?? '');
    assert.deepEqual([usage.unpriced_calls, usage.cost_usd, usage.known_cost_usd], [1, null, null]);
    for (const command of [['status', capped], ['why', capped], ['report']]) {
      const words = await said(harness, ...command);
      assert.match(words, /cost unknown/);
      assert.doesNotMatch(words, /\$0\.00/);
    }

    const priced = await asking();
    await said(harness, 'prices', 'set', 'house-model', '--input', '100', '--output', '200');
    await said(harness, 'answer', priced, 'retry');
    const after = await ended(priced);
    assert.equal(after.state, 'unverified', after.reason ?? '');
    assert.ok(Number(after.usage.cost_usd) > 0 && after.usage.unpriced_calls === 0);
    assert.match(await said(harness, 'status', priced), /spent +\$0\.\d\d, /);
  });
});
