/** Which counted test runners a gate's command is known to start. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { followCommand } from './gate-command.ts';

const script = (line: string): string => JSON.stringify({ scripts: { test: line } });

describe('a command is followed to the test runners that it starts', () => {
  const rows: [command: readonly string[], test: string, runners: readonly string[]][] = [
    [['npm', 'test'], 'jest --coverage', ['jest']],
    [['npm', 'test'], 'NODE_OPTIONS=--experimental-vm-modules jest', ['jest']],
    [['npm', 'test'], 'cross-env CI=1 react-scripts test', ['jest']],
    [['npm', 'test'], 'node --experimental-vm-modules node_modules/jest/bin/jest.js', ['jest']],
    [['pnpm', 'test'], 'tsc && vitest run', ['vitest']],
    [['yarn', 'test'], 'nyc mocha --parallel', ['mocha']],
    [['npm', 'run', 'test'], 'c8 node --test', ['node:test']],
    [['npm', 'test'], 'mocha && vitest run', ['mocha', 'vitest']],
    [['npm', 'test'], 'eslint .', []],
    [['npx', 'jest@30', '--ci'], '', ['jest']],
    [['yarn', 'jest'], '', ['jest']],
    [['./node_modules/.bin/vitest', 'run'], '', ['vitest']],
    [['sh', '-c', 'cd . && npx mocha'], '', ['mocha']],
    [['npx', 'vitest', '--version'], '', []],
  ];
  for (const [command, line, runners] of rows)
    test(`${command.join(' ')}${line === '' ? '' : `: ${line}`}`, () => {
      const text = script(line);
      const base: FileTree = new Map([['package.json', { mode: '100644', id: 'a', bytes: 1 }]]);
      const followed = followCommand(command, '', base, new Map([['package.json', text]]));
      assert.deepEqual([...followed.runners].toSorted(), runners);
    });
});
