import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startedFiles } from './started-files.ts';

async function startedIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const texts = new Map(Object.entries(files));
  const started = await startedFiles(
    new Set(texts.keys()),
    async (paths) => new Map(paths.map((path) => [path, texts.get(path) ?? ''])),
  );
  return [...started.keys()].toSorted();
}

describe('H6: a file that is started by another that runs by itself', () => {
  const scripts = (record: Readonly<Record<string, string>>): string =>
    JSON.stringify({ scripts: record });
  const cases: [why: string, files: Readonly<Record<string, string>>, started: string[]][] = [
    [
      'a file that a hook names',
      { '.husky/pre-commit': 'node tools/a.js', 'tools/a.js': '' },
      ['tools/a.js'],
    ],
    [
      'a script of package.json that a hook runs',
      {
        '.husky/pre-commit': 'npm run verify\n',
        'package.json': scripts({ verify: 'npm run verify:all', 'verify:all': 'node tools/a.mjs' }),
        'tools/a.mjs': '',
        'tools/b.mjs': '',
      },
      ['tools/a.mjs'],
    ],
    [
      'the pre and post scripts of such a script',
      {
        'lefthook.yml': 'run: pnpm lint',
        'package.json': scripts({ lint: 'eslint .', prelint: './x.sh', postlint: 'node y' }),
        'x.sh': '',
        'y.js': '',
      },
      ['x.sh', 'y.js'],
    ],
    [
      'a script that an install script runs',
      {
        'package.json': scripts({
          postinstall: 'npm run build',
          build: 'node build.mjs',
          test: 'node t.js',
        }),
        'build.mjs': '',
        't.js': '',
      },
      ['build.mjs'],
    ],
    [
      'a module of Python that a hook runs',
      { '.husky/pre-commit': 'python3 -m tools.check', 'tools/check.py': '', 'tools/other.py': '' },
      ['tools/check.py'],
    ],
    [
      'a package of Python that a gate runs',
      {
        '.supervisor/config.yaml': 'gates:\n  - { name: a, command: python3 -m tools }\n',
        'tools/__main__.py': '',
        'tools/b.py': '',
        'a.py': 'only the name of the gate',
      },
      ['tools/__main__.py'],
    ],
    [
      'a file in a folder to which a hook changes',
      { '.husky/pre-push': 'cd tools && ./check.sh', 'tools/check.sh': '', 'tools/b.sh': '' },
      ['tools/check.sh'],
    ],
    [
      'a file in a folder to which a gate changes',
      {
        '.supervisor/config.yaml': 'gates:\n  - { name: a, command: "cd tools && ./check.sh" }\n',
        'tools/check.sh': '',
      },
      ['tools/check.sh'],
    ],
    [
      'a shell script that a shell script sources',
      {
        '.envrc': 'source_env scripts/env.sh',
        'scripts/env.sh': '. ./scripts/lib.sh\n',
        'scripts/lib.sh': 'python3 scripts/last.py\n',
        'scripts/last.py': 'import other',
      },
      ['scripts/env.sh', 'scripts/last.py', 'scripts/lib.sh'],
    ],
    [
      'commands for staged files',
      {
        'package.json': JSON.stringify({ 'lint-staged': { '*.ts': ['node tools/fix.js'] } }),
        'tools/fix.js': '',
      },
      ['tools/fix.js'],
    ],
    [
      'instructions that instructions import, and no other file that they name',
      {
        'CLAUDE.md': 'See @docs/style.md and `src/main.ts`.\n',
        'docs/style.md': 'Also @./more.txt\n',
        'docs/more.txt': '',
        'src/main.ts': '',
      },
      ['docs/more.txt', 'docs/style.md'],
    ],
    [
      'no file that a script of the shell only reads',
      {
        '.supervisor/config.yaml': 'gates:\n  - { name: own, command: ./check.sh }\n',
        'check.sh':
          '#!/bin/sh\nset -eu\n# see other.py\nif ! grep -q "$1" stats.py; then\n  echo "stats.py is wrong"\n  exit 1\nfi\ntest -f data.json && cat data.json | wc -l\n',
        'stats.py': '',
        'other.py': '',
        'data.json': '',
      },
      ['check.sh'],
    ],
    [
      'every file that a script of the shell may start',
      {
        '.supervisor/config.yaml': 'gates:\n  - { name: own, command: ./check.sh }\n',
        'check.sh':
          'if true; then\n  ./a.sh\nfi\ncat b.sh |\n  sh\nfor one in c.sh; do sh "$one"; done\nname=d.sh\nsh "$name"\npython3 -c \'\nopen("e.py")\n\'\nx=$(f.sh)\ngrep -q a \\\n  z.py\n',
        ...Object.fromEntries(
          'a.sh b.sh c.sh d.sh e.py f.sh z.py'.split(' ').map((path) => [path, '']),
        ),
      },
      ['a.sh', 'b.sh', 'c.sh', 'check.sh', 'd.sh', 'e.py', 'f.sh'],
    ],
    [
      'a file that a script reads with a program of its own name',
      {
        '.husky/pre-commit': 'cat() { sh "$@"; }\ncat a.sh\n',
        '.husky/pre-push': 'sh <<END\ncat b.sh\nEND\n',
        'a.sh': '',
        'b.sh': '',
      },
      ['a.sh', 'b.sh'],
    ],
    [
      'no file whose name only begins like a word of the settings',
      {
        '.supervisor/config.yaml':
          'setup: { command: [npm, ci] }\ngates:\n  - { name: check, command: [npm, run, check] }\n  - { name: lint.sh, command: [make, lint] }\n',
        'check.sh': '',
        'lint.sh': '',
        'setup.sh': '',
        'check.js': '',
        'gates/index.js': '',
      },
      [],
    ],
    [
      'nothing, if only a person starts it',
      { 'package.json': scripts({ test: 'node t.js' }), 't.js': '', 'README.md': '@t.js' },
      [],
    ],
  ];
  for (const [why, files, started] of cases)
    test(why, async () => assert.deepEqual(await startedIn(files), started));

  const gates: [command: string, started: string[]][] = [
    ['[./check.sh]', ['check.sh']],
    ['[bash, scripts/x.sh, stats.py]', ['scripts/x.sh', 'stats.py']],
    ['[node, tools/check.mjs]', ['tools/check.mjs']],
    ['[python3, check.py]', ['check.py']],
    ['[npm, test]', ['tools/check.mjs']],
    ['[npm, run, lint]', []],
    ['[sh, -c, "grep -q foo stats.py && ./check.sh"]', ['check.sh']],
    ['[sh, -c, "cat check.sh | sh"]', ['check.sh']],
    ['[unknown-tool, stats.py]', ['stats.py']],
    ['[grep, -q, foo, stats.py]', []],
    ['[python3, -m, py_compile, stats.py]', []],
    ['[node, --check, a.js]', []],
    ['\n      - grep\n      - -q\n      - foo\n      - stats.py', []],
    ['[sh, -c, "test -f stats.py && grep -q \'def (mean)\' stats.py"]', []],
  ];
  for (const [command, expected] of gates)
    test(`a gate ${JSON.stringify(command)} starts ${expected.join(', ') || 'nothing'}`, async () => {
      const files = {
        '.supervisor/config.yaml': `version: 1 # see check.sh\ngates:\n  - name: own\n    command: ${command}\n`,
        'package.json': scripts({ test: 'node tools/check.mjs', lint: 'eslint a.js' }),
        ...Object.fromEntries(
          'check.sh scripts/x.sh tools/check.mjs check.py stats.py a.js'
            .split(' ')
            .map((path) => [path, '']),
        ),
      };
      assert.deepEqual(await startedIn(files), expected);
    });

  test('settings that are no YAML count as a whole', async () => {
    const files = { '.supervisor/config.yaml': 'gates: [grep foo stats.py', 'stats.py': '' };
    assert.deepEqual(await startedIn(files), ['stats.py']);
  });

  test('scripts that run each other are followed once', async () => {
    const files = { '.envrc': '. a.sh', 'a.sh': '. b.sh; npm run x', 'b.sh': '. a.sh' };
    const all = { ...files, 'package.json': scripts({ x: 'npm run y', y: 'npm run x' }) };
    assert.deepEqual(await startedIn(all), ['a.sh', 'b.sh']);
  });
});

describe('a script of an agent that repeats', { timeout: 120_000 }, () => {
  const repeated = ['-', 'a', 'if ', 'npx ', '. ', 'a b=', '|\n', '.a', 'f( ', "sh '", '\n'];
  for (const text of repeated)
    test(`${JSON.stringify(text)} is read in linear time`, async () => {
      // The square of its length would take minutes, and a call for each word too much stack.
      const script = `${text.repeat(Math.floor(300_000 / text.length))}\n./end.sh\n`;
      const paths = new Set(['.envrc', 'end.sh']);
      const load = async (wanted: readonly string[]): Promise<ReadonlyMap<string, string>> =>
        new Map(wanted.map((path) => [path, path === '.envrc' ? script : '']));
      const started = await startedFiles(paths, load);
      assert.ok(started.size <= 1);
    });
});
