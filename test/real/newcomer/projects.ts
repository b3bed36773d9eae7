/** The projects of the newcomer: their files, and what the model does about the task. */
import type { LocalRegistry } from '../../e2e/local-registry.ts';
import type { EditingModel } from './editing-model.ts';

export type NewcomerProject = {
  /** The name of its folder. */
  readonly name: string;
  readonly title: string;
  readonly files: (registry: LocalRegistry) => Readonly<Record<string, string>>;
  /** What its developer did before they knew of Supervisor. */
  readonly prepared: string;
  readonly model: EditingModel;
};

const shop: NewcomerProject = {
  name: 'shop',
  title: 'A Node project with a dependency',
  files: (registry) => ({
    '.gitignore': 'node_modules/\n',
    'package.json': json({
      name: 'shop',
      version: '1.0.0',
      type: 'module',
      scripts: { test: 'node --test' },
      dependencies: { 'local-dep': '1.0.0' },
    }),
    'package-lock.json': json({
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'shop', version: '1.0.0', dependencies: { 'local-dep': '1.0.0' } },
        'node_modules/local-dep': registry.lockEntry('1.0.0'),
      },
    }),
    'cart.js': `import dep from 'local-dep';

export const priceList = dep.version;

export function total(prices) {
  return prices.reduce((sum, price) => sum - price, 0);
}
`,
    'cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceList, total } from './cart.js';

test('adds the prices', () => assert.equal(total([2, 3]), 5));
test('has a price list', () => assert.equal(priceList, '1.0.0'));
`,
  }),
  prepared: 'npm ci --silent',
  model: {
    look: 'npm test',
    wordsBefore: 'I run the tests first.',
    file: 'cart.js',
    old: '  return prices.reduce((sum, price) => sum - price, 0);',
    changed: '  return prices.reduce((sum, price) => sum + price, 0);',
    wordsBetween: 'total() subtracts the prices. It has to add them.',
    wordsAfter: 'total() in cart.js adds the prices now, so the failing test passes.',
  },
};

const stats: NewcomerProject = {
  name: 'stats',
  title: 'A Python project with a virtual environment',
  files: () => ({
    '.gitignore': '.venv/\n__pycache__/\n',
    'requirements.txt': 'local-tool==1.0.0\n',
    'stats.py': `import local_tool

TOOL = local_tool.version


def mean(numbers):
    return sum(numbers) / (len(numbers) - 1)
`,
    'test_stats.py': `import unittest

import stats


class StatsTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)

    def test_tool(self):
        self.assertEqual(stats.TOOL, '1.0.0')
`,
  }),
  prepared: 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt',
  model: {
    look: '.venv/bin/python -m unittest',
    wordsBefore: 'I run the tests first.',
    file: 'stats.py',
    old: '    return sum(numbers) / (len(numbers) - 1)',
    changed: '    return sum(numbers) / len(numbers)',
    wordsBetween: 'mean() divides by one less than the count. I correct that.',
    wordsAfter: 'mean() in stats.py divides by the count now, so the failing test passes.',
  },
};

const notes: NewcomerProject = {
  name: 'notes',
  title: 'A repository without tests',
  files: () => ({
    'README.md': '# Notes\n\nWhat I want to remember.\n',
    'git.md': '# git\n\n- `git switch` changes the branch.\n',
  }),
  prepared: 'true',
  model: {
    look: 'find "$PWD" -name "*.md"',
    wordsBefore: 'I look which notes there are.',
    file: 'README.md',
    old: 'What I want to remember.',
    changed: 'What I want to remember:\n\n- [git](git.md)',
    wordsBetween: 'There is one note, git.md.',
    wordsAfter: 'The README lists the note git.md now.',
  },
};

export const PROJECTS: readonly NewcomerProject[] = [shop, stats, notes];

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
