import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findRunner } from './attach-runner.ts';

describe('a command line of JavaScript', () => {
  const rows: [line: string, runner: string | undefined][] = [
    ['jest', 'jest'],
    ['jest --ci --runInBand src', 'jest'],
    ['jest --passWithNoTests', 'jest'],
    ['jest --listTests', undefined],
    ['jest --showConfig', undefined],
    ['jest --version', undefined],
    ['react-scripts test --watchAll=false', 'jest'],
    ['react-scripts --inspect test', 'jest'],
    ['react-scripts build', undefined],
    ['vitest', 'vitest'],
    ['vitest run --coverage', 'vitest'],
    ['vitest related src/a.ts', 'vitest'],
    ['vitest list', undefined],
    ['vitest bench', undefined],
    ['mocha --parallel test/**/*.js', 'mocha'],
    ['_mocha', 'mocha'],
    ['ts-mocha test/a.ts', 'mocha'],
    ['mocha init site', undefined],
    ['mocha --list-reporters', undefined],
    ['node node_modules/.bin/jest', 'jest'],
    ['node ./node_modules/.bin/vitest run', 'vitest'],
    ['node --experimental-vm-modules node_modules/jest/bin/jest.js --ci', 'jest'],
    ['node -r ts-node/register ../../node_modules/mocha/bin/mocha.js', 'mocha'],
    ['node node_modules/mocha/bin/_mocha', 'mocha'],
    ['node node_modules/vitest/vitest.mjs run', 'vitest'],
    ['node node_modules/vitest/vitest.mjs list', undefined],
    ['node node_modules/react-scripts/bin/react-scripts.js test', 'jest'],
    ['node node_modules/.bin/eslint src', undefined],
    ['node tools/jest.js', undefined],
    ['node --test', 'node:test'],
    ['constructor', undefined],
    ['eslint src/jest', undefined],
  ];
  for (const [line, runner] of rows)
    test(`${line}: ${runner ?? 'starts no counted run'}`, () => {
      const [program = '', ...args] = line.split(' ');
      assert.equal(findRunner(program, args), runner);
    });
});
