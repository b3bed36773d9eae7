import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { executedLines, executedWords } from './executed-words.ts';

/** Which of these files a command may execute. */
function executedFiles(words: readonly string[]): readonly string[] {
  const found = words.flatMap((word) => word.split(/[\s'"=]+/));
  return found.filter((word) => /\.(?:js|mjs|ts|py|sh|rb|php|json|cjs)$/.test(word));
}

describe('H6: of the words of a command', () => {
  const cases: [command: string, executed: readonly string[]][] = [
    // It is executed.
    ['./check.sh', ['./check.sh']],
    ['./check.sh a.py', ['./check.sh', 'a.py']],
    ['bash scripts/x.sh', ['scripts/x.sh']],
    ['sh -e scripts/x.sh', ['scripts/x.sh']],
    ['node tools/check.mjs', ['tools/check.mjs']],
    ['node tools/check.mjs --check', ['tools/check.mjs']],
    ['node --import ./a.mjs --check b.js', ['./a.mjs']],
    ['node --test a.test.js', ['a.test.js']],
    ['python3 check.py', ['check.py']],
    ['python3 -m pytest a.py', ['a.py']],
    ['python3 -m doctest a.py', ['a.py']],
    ['python3 -W error -m py_compile a.py', ['a.py']],
    ['ruby check.rb', ['check.rb']],
    ['php check.php', ['check.php']],
    ['jest a.test.js', ['a.test.js']],
    ['make -f ci.py', ['ci.py']],
    ['someone-elses-tool a.py', ['a.py']],
    ['tools/grep a.py', ['a.py']],
    ['find . -name a.py -exec sh b.sh', ['a.py', 'b.sh']],
    ['env A=1 ./x.sh', ['./x.sh']],
    ['env NODE_OPTIONS=--require=./a.js node --check b.js', ['./a.js', 'b.js']],
    ['timeout 5m bash x.sh', ['x.sh']],
    ['eslint --config strict.config.js a.js', ['strict.config.js']],
    ['eslint --rulesdir=rules.js a.js', ['rules.js']],
    ['perl -c a.py', ['a.py']],
    ['bash -n -c x.sh', ['x.sh']],
    // It is only read.
    ['grep -q foo stats.py', []],
    ['/usr/bin/grep -q foo stats.py', []],
    ['test -f stats.py', []],
    ['python3 -m py_compile stats.py', ['py_compile.py']],
    ['python3 -B -m py_compile stats.py', ['py_compile.py']],
    ['.venv/bin/python -m mypy a.py', ['mypy.py']],
    ['node --check a.js', []],
    ['node -c a.js', []],
    ['bash -n x.sh', []],
    ['ruby -c a.rb', []],
    ['php -l a.php', []],
    ['eslint a.js b.js', []],
    ['npx --yes eslint --fix a.js', []],
    ['node_modules/.bin/eslint a.js', []],
    ['tsc --noEmit a.ts', []],
    ['uv run ruff check a.py', []],
    ['timeout 5m grep foo a.py', []],
    ['shellcheck x.sh', []],
  ];
  for (const [command, executed] of cases)
    test(`${command}: ${executed.join(', ') || 'none'}`, () =>
      assert.deepEqual(executedFiles(executedWords(command.split(' '))), executed));
});

describe('H6: of a line for a shell', () => {
  const cases: [line: string, executed: readonly string[]][] = [
    ['grep -q foo a.py && ./x.sh', ['./x.sh']],
    ["grep -q 'foo(bar)' a.py; test -f b.py", []],
    ['! grep -q foo a.py', []],
    ['if ! grep -q foo a.py; then', []],
    ['grep -q "$1" ${FOLDER} a.py', []],
    ['$TOOL a.py', ['a.py']],
    ['eval "$LINE" a.py', ['a.py']],
    ['grep "${A:-$(./x.sh)}" a.py', ['a.py']],
    ['grep foo a.py | head -1', []],
    ['grep -q foo a.py > /dev/null 2>&1', []],
    ['cat x.sh | sh', ['x.sh']],
    ['cat x.sh | xargs sh', ['x.sh']],
    ['sh < x.sh', ['x.sh']],
    ['grep foo a.py > b.sh', ['a.py', 'b.sh']],
    ['grep foo $(./x.sh) a.py', ['a.py']],
    ['grep "$(cat x.sh)" a.py', ['a.py']],
  ];
  for (const [line, executed] of cases)
    test(`${line}: ${executed.join(', ') || 'none'}`, () => {
      const words = executedLines(line).flat();
      const found = executedFiles(words);
      for (const file of executed) assert.ok(words.join(' ').includes(file), words.join(' '));
      if (executed.length === 0) assert.deepEqual(found, []);
    });
});
