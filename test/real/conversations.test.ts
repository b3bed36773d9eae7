/**
 * D7: whole runs with the real CLIs, through the command and a separate owner. An agent that is
 * interrupted in the middle of its work continues its conversation, against a provider as strict as
 * the real one.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { describeError } from '../../src/base/errors.ts';
import { InboxDocument } from '../../src/public-json/reading-documents.ts';
import { eventually } from '../support/eventually.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import type { CliName } from './clis.ts';
import { BIN, CLIS, isMissing, MODELS, providerEnv, shellCall } from './sandboxed-clis.ts';
import { SECRET } from './sandboxed-harness.ts';

const WITHIN_MS = 180_000;
/** The model's first answer: only a conversation that continues contains it. */
const WORD = 'marzipan';

/**
 * The budget that is used up in the middle of the work. opencode asks for a title beside its first
 * call.
 */
const CALLS: Readonly<Partial<Record<CliName, number>>> = { opencode: 2 };

type Cut = 'a spent budget' | 'a killed owner';

/** The first step completes. The second hangs if the death of the owner interrupts the work. */
function inTwoSteps(cli: CliName, cut: Cut): ScriptFunction {
  return ({ toolResults, kind, units }) => {
    if (kind === 'side') return undefined;
    const isResumed = JSON.stringify(units).includes('You were interrupted');
    if (toolResults === 0)
      return { text: `I say ${WORD}.`, calls: [shellCall(cli, 'echo first >>steps.txt')] };
    if (cut === 'a killed owner' && !isResumed)
      return { text: 'I wait.', calls: [shellCall(cli, 'touch second.txt; tail -f /dev/null')] };
    return { text: 'All done.' };
  };
}

async function harnessFor(cli: CliName): Promise<CliHarness> {
  const agent = { id: cli, cli, ...(MODELS[cli] === null ? {} : { model: MODELS[cli] }) };
  const harness = await CliHarness.create(JSON.stringify({ agents: [agent] }));
  await writeFile(join(harness.project, 'README.md'), 'a project\n');
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '-m', 'first'],
  ])
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: harness.project,
    });
  return harness;
}

async function hasEnded(harness: CliHarness, run: string): Promise<boolean> {
  return (await harness.events(run)).some(({ type }) => type === 'run.ended');
}

/**
 * CLIs write their conversation in the background. A CLI that is killed before that has none, and the next
 * attempt rightly begins without one. Copilot also has logs, which do not count.
 */
function isConversationStored(harness: CliHarness, cli: CliName, run: string): boolean {
  const home = join(harness.home.dir, 'homes', run);
  if (!existsSync(home)) return false;
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (cli !== 'copilot' || entry.name.endsWith('.jsonl')))
    .some(({ parentPath, name }) => readIfThere(join(parentPath, name)).includes(WORD));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the CLI has just replaced or removed it
  }
}

describe('D7: an interrupted agent continues its conversation', { timeout: 900_000 }, () => {
  for (const cli of CLIS)
    for (const cut of ['a spent budget', 'a killed owner'] as const)
      test(`${cli}, after ${cut}`, async (t) => {
        if (isMissing(t, cli)) return;
        const script = inTwoSteps(cli, cut);
        await using server = await ModelServer.start({ keys: [SECRET], script });
        await using harness = await harnessFor(cli);
        const path = [BIN, process.env['PATH']].join(delimiter);
        const env = { ...providerEnv(server.url), PATH: path };
        const set = ['--set', 'sandbox.backend=bubblewrap'];
        if (cut === 'a spent budget') set.push('--set', `budget.calls=${CALLS[cli] ?? 1}`);
        const words = ['run', 'Do two things.', '--agent', cli, '--detach', ...set];
        const { code, stdout, stderr } = await harness.run(words, { env });
        assert.equal(code, 0, stderr);
        const run = stdout.trim();
        const asks = async (): Promise<boolean> =>
          (await harness.json(InboxDocument, ['inbox'])).questions.length > 0;
        const isStored = (): boolean => isConversationStored(harness, cli, run);
        // A CLI that is slower than its second of grace has nothing to continue: it begins again.
        let isBegunAnew = false;
        if (cut === 'a spent budget') {
          await eventually('it asks', asks, WITHIN_MS);
          isBegunAnew = !isStored();
        } else {
          const continues = (): boolean =>
            server
              .journal()
              .some(({ kind, body }) => kind === 'main' && JSON.stringify(body).includes(WORD));
          await eventually('it is in its second step', continues, WITHIN_MS);
          await eventually('its conversation is on disk', isStored, WITHIN_MS);
          await harness.killOwner();
          assert.equal((await harness.run(['status'], { env })).code, 0);
        }
        // On a busy machine a CLI repeats a slow call, so its budget may be spent once more.
        const endsOrGoesOn = async (): Promise<boolean> => {
          if (await hasEnded(harness, run)) return true;
          if (cut === 'a spent budget' && (await asks()))
            await harness.run(['answer', run, 'continue'], { env });
          return false;
        };
        await eventually('its end', endsOrGoesOn, WITHIN_MS).catch(async (error: unknown) => {
          const facts = (await harness.events(run)).slice(-10);
          assert.fail(`${describeError(error)}: ${JSON.stringify(facts)}`);
        });
        const facts = await harness.events(run);
        assert.deepEqual(facts.at(-1)?.payload, {
          outcome: { kind: 'unverified', reason: 'All done.' },
        });
        const attempts = facts.flatMap((fact) =>
          fact.type === 'command.begun' && fact.payload.command === 'attempt'
            ? [fact.payload.input]
            : [],
        );
        const [first, ...later] = attempts.map(({ resume }) => typeof resume);
        if (isBegunAnew) {
          t.diagnostic(`${cli} had stored no conversation`);
          return;
        }
        assert.deepEqual([first, [...new Set(later)]], ['object', ['string']]);
        const last = server.journal().findLast(({ kind }) => kind === 'main');
        assert.match(JSON.stringify(last?.body), new RegExp(`I say ${WORD}`));
      });
});
