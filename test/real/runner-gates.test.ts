/**
 * Gates that run real jest, vitest and mocha in a real sandbox, on work that tries to avoid its
 * judgement.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testsCounted } from '../../src/protocol/words/gate-caveats.ts';
import { defaultSettings } from '../../src/settings/settings.ts';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { GateHarness } from '../gates/gate-harness.ts';
import { needs, PACKAGES } from './report-run.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';

const { tools } = probeFacts(process.env);
const missing =
  tools.bwrap === undefined ? { skip: 'bubblewrap is not here' } : needs('jest', 'vitest', 'mocha');

/** Packages in the root folder are found from everywhere. */
const sandbox = {
  ...defaultSettings.sandbox,
  mounts: [{ from: PACKAGES, to: '/node_modules', mode: 'ro' } as const],
};

/** A project with a test that passes for its code. */
function project(command: string, file: string, text: string): string {
  return `mkdir -p test
echo 'exports.one = () => 1;' > code.cjs
cat > ${file} <<'X'
${text}
X
echo '{ "scripts": { "test": "${command}" } }' > package.json`;
}

const TEST =
  "it('is one', () => { if (one() !== 1) throw new Error('no'); });\nit('is', () => {});";
const LOADED = `const { one } = require('../code.cjs');\n${TEST}`;
const IMPORTED = `import { it } from 'vitest';\nimport { one } from '../code.cjs';\n${TEST}`;

const ROWS: readonly (readonly [name: string, base: string])[] = [
  ['jest', project('jest', 'test/a.test.js', LOADED)],
  ['vitest', project('vitest run', 'test/a.test.ts', IMPORTED)],
  ['mocha', project('mocha', 'test/a.js', LOADED)],
];

const reported = (outcome: GateOutcome): string =>
  outcome.kind === 'failed' ? (outcome.reported ?? []).join('; ') : outcome.kind;

for (const [name, base] of ROWS)
  describe(`a gate that runs ${name}`, { timeout: 300_000, ...missing }, () => {
    const judge = async (work: string, line = 'npm test'): Promise<GateOutcome> => {
      await using harness = await GateHarness.create(base, work);
      return (await harness.judge(['sh', '-c', line], { sandbox, timeoutMs: 240_000 })).outcome;
    };

    test('is green with its tests counted', async () => {
      const outcome = await judge('echo "// more" >> code.cjs');
      assert.equal(outcome.kind, 'passed', JSON.stringify(outcome));
      assert.equal(testsCounted({ ...outcome }), `2 tests passed (${name})`);
    });

    test('is red when the code under test ends it', async () => {
      const outcome = await judge("echo 'process.exit(0);' >> code.cjs", 'npm test || true');
      // Vitest runs tests in another process, and reports its early end as a failure.
      assert.match(reported(outcome), name === 'vitest' ? /failed/ : /ended early/);
    });

    test('is red when a failure is hidden', async () => {
      const outcome = await judge('echo "exports.one = () => 2;" > code.cjs', 'npm test || true');
      assert.equal(reported(outcome), `1 test of ${name} failed`);
    });

    test('is red when no reporter answers though the command starts the runner', async () => {
      const line = 'unset SUPERVISOR_TEST_REPORTS; npm test';
      const outcome = await judge('echo "// more" >> code.cjs', line);
      assert.match(
        reported(outcome),
        new RegExp(`^${name} reported nothing, though the command starts it`),
      );
    });
  });
