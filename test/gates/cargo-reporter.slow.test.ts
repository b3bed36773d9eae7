/** The reporter of cargo test, in real processes outside any sandbox. */
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Reported } from '../support/run-reported.ts';
import { firstThatWorks, runReported } from '../support/run-reported.ts';
import { tempDir } from '../support/temp-dir.ts';

type Files = Readonly<Record<string, string>>;

const found = firstThatWorks([['cargo', '--version']]);
const skip = found === undefined && process.env['CI'] === undefined ? 'missing: cargo' : false;
const shared = await tempDir();
after(() => shared[Symbol.asyncDispose]());

const MANIFEST = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n';
const OPEN = `pub fn one() -> i32 { 1 }
#[cfg(test)]
mod tests {
    #[test]
    fn a() { assert_eq!(super::one(), 1); }
    #[test]
    #[ignore]
    fn ignored() {}
`;
const GOOD = `${OPEN}}\n`;
const WRONG = '    #[test]\n    fn b() { panic!("no") }\n';
const EXIT = '    #[test]\n    fn c() { std::process::exit(0) }\n';

const cargo = (files: Files, args: readonly string[] = ['test']): Promise<Reported> =>
  runReported({
    command: ['cargo', ...args],
    files: { 'Cargo.toml': MANIFEST, ...files },
    expected: args[0] === 'test' ? ['cargo test'] : [],
    env: {
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
      CARGO_HOME: join(shared.path, 'home'),
      CARGO_TARGET_DIR: join(shared.path, 'target'),
      CARGO_NET_OFFLINE: 'true',
    },
  });

describe(
  'code under cargo test that ends the test runner is red',
  { timeout: 600_000, skip },
  () => {
    const EARLY = `#[used]
#[link_section = ".init_array"]
static EARLY: extern "C" fn() = { extern "C" fn end() { std::process::exit(0) } end };
`;
    const NO_MAIN =
      '#![cfg_attr(test, no_main)]\n#[cfg(test)]\n#[no_mangle]\npub extern "C" fn main() -> i32 { 0 }\n';
    const reds: [what: string, lib: string, args: readonly string[], words: RegExp][] = [
      ['in a test', `${OPEN}${WRONG}${EXIT}}\n`, ['test'], /ended early: 0 of 4 tests reported/],
      [
        'in the only thread',
        `${OPEN}${EXIT}}\n`,
        ['test', '-q', '--', '--test-threads=1'],
        /ended early: 0 of 3 tests reported/,
      ],
      ['before its tests', `${EARLY}${OPEN}${WRONG}}\n`, ['test', '--lib'], /ended early/],
      ['instead of its tests', `${NO_MAIN}${OPEN}${WRONG}}\n`, ['test', '--lib'], /ended early/],
    ];
    for (const [what, lib, args, words] of reds)
      test(what, { skip: /init_array/.test(lib) && process.platform !== 'linux' }, async () => {
        const { exit, reds: problems, output } = await cargo({ 'src/lib.rs': lib }, args);
        assert.equal(exit, 0, output);
        assert.match(problems.join('; '), words);
      });

    test('and a failure is shown, counted and named', async () => {
      const wrong = { 'src/lib.rs': `${OPEN}${WRONG}}\n` };
      const { exit, reds: problems, counted, output } = await cargo(wrong);
      assert.deepEqual([exit, problems], [101, ['1 test of cargo test failed']]);
      assert.match(output, /test result: FAILED\. 1 passed; 1 failed; 1 ignored/);
      assert.deepEqual(counted?.failing, ['tests::b']);
    });
  },
);

describe('an honest suite of cargo test is green and counted', { timeout: 600_000, skip }, () => {
  const DOCUMENTED = `/// \`\`\`\n/// assert_eq!(m::one(), 1);\n/// \`\`\`\n${GOOD}`;
  const greens: [
    what: string,
    files: Files,
    args: readonly string[],
    counts: readonly [passed: number, skipped: number],
  ][] = [
    [
      'of a library, a program, an integration and its documentation',
      {
        'src/lib.rs': DOCUMENTED,
        'src/main.rs': 'fn main() {}\n#[test]\nfn b() { println!("said"); }\n',
        'tests/i.rs': '#[test]\nfn i() { assert_eq!(m::one(), 1); }\n',
      },
      ['test', '--', '--nocapture'],
      [3, 1],
    ],
    [
      'with those that are ignored',
      { 'src/lib.rs': GOOD },
      ['test', '-q', '--', '--include-ignored'],
      [2, 0],
    ],
    [
      'of one by its name',
      { 'src/lib.rs': `${OPEN}${WRONG}}\n` },
      ['test', 'tests::a', '--', '--exact'],
      [1, 0],
    ],
    [
      'with a test that has no harness',
      {
        'Cargo.toml': `${MANIFEST}[[test]]\nname = "own"\nharness = false\n`,
        'src/lib.rs': GOOD,
        'tests/own.rs': 'fn main() { println!("own"); }\n',
      },
      ['test'],
      [1, 1],
    ],
  ];
  for (const [what, files, args, [passed, skipped]] of greens)
    test(what, async () => {
      const { exit, reds, counted, output } = await cargo(files, args);
      assert.deepEqual([exit, reds], [0, []], output);
      assert.deepEqual(counted, { passed, failed: 0, skipped, runners: ['cargo test'] });
    });

  test('and a program of the project runs as usual', async () => {
    const files = {
      'src/main.rs':
        'fn main() {\n    println!("hi {}", std::env::var("SUPERVISOR_TEST_REPORTS").is_ok());\n    std::process::exit(3)\n}\n',
    };
    const { exit, reds, output } = await cargo(files, ['run', '-q']);
    assert.deepEqual([exit, reds, output], [3, [], 'hi false\n']);
  });
});
