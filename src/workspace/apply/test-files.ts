/** Recognizes test files by the conventions of test runners. Tests judge the work and are not a part of it. */

/** Everything in such a folder belongs to tests, including helpers, fixtures and snapshots. */
const FOLDERS = new Set([
  'test',
  'tests',
  '__tests__',
  '__test__',
  '__mocks__',
  '__snapshots__',
  '__fixtures__',
  'testdata',
  'e2e',
  'cypress',
  'playwright',
  'androidtest',
  'integrationtest',
  'integration-tests',
  'integration_tests',
  'unittests',
  'unit-tests',
]);
/** Files in such a folder help tests. A new file there is part of the work, because no test of the base uses it. */
const HELPER_FOLDERS =
  /^(?:test[-_]?(?:utils?|helpers?|support|lib|kit|harness|fixtures?)|testing|fixtures?|spec[-_](?:helpers?|support))$/;
const HELPER_NAMES =
  /^(?:test[-_]?(?:utils?|helpers?|support|lib|harness|setup|fixtures?)|(?:spec|rails|unit)_helper)\.[a-z0-9]+$/i;
/** Such a folder may also contain a written specification, so only its code counts. */
const CODE_FOLDERS = new Set(['spec', 'acceptance', 'step_definitions']);
/** Behave and Cucumber keep steps here. Below the sources, `features` is a folder of the product. */
const STEPS =
  /^(?:(?!src\/|lib\/|app\/)[^/]+\/)*features\/(?:(?:steps|support)\/|environment\.py$)/i;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|kts|scala|groovy|cs|fs|vb|swift|dart|exs?|erl|clj[cs]?|hs|ml|lua|pl|pm|t|r|jl|sh|bash|bats|feature|snap|robot|zig|nim|c|cc|cpp|h|hpp|m|mm)$/i;
/** Names by which runners find tests. A word that products use too counts only with its runner's ending. */
const NAMES = [
  /^tests?\.[a-z0-9]+$/,
  /\.(?:test|tests|spec|specs|e2e|cy|unit|bench|stories)\.[a-z0-9]+$/,
  /[._-](?:test|spec)\.[a-z0-9]+\.snap$/,
  /[_-](?:tests|e2e)\.[a-z0-9]+$/,
  /_test\.[a-z0-9]+$/,
  /_(?:unit|browser|g)tests?\.(?:cc|cpp|cxx|c|mm|m)$/,
  /_spec\.(?:rb|lua|[cm]?[jt]sx?|exs?)$/,
  // `test-sum.js` and `sum-test.js` are for node --test; `sum-spec.js` is for Jasmine and Mocha.
  /^test-.*\.(?:[cm]?[jt]sx?|r|R)$/,
  /^(?!(?:.*-)?(?:a-?b|split|hit|speed|multivariate)-test\.).*-test\.[a-z0-9]+$/,
  /^(?!(?:.*-)?(?:open-?api|api|json|schema|job|pod|column|table|query|type|build|product)-spec\.).*-spec\.[cm]?[jt]sx?$/,
  /^test_.*\.(?:py|r|R|jl|c|cc|cpp|h|hpp|sh|bash|lua|nim|zig|exs|php|pl)$/,
  /^(?:Test|IT)[A-Z]\w*\.(?:java|kt|scala|groovy|cs|php|swift)$/,
  /(?:Test|Tests|Spec|Specs|TestCase|Suite)\.(?:java|kt|scala|groovy|cs|fs|vb|php|swift|hs|m|mm)$/,
  /IT\.(?:java|kt|scala|groovy)$/,
  /\.(?:bats|robot|feature|snap|t)$/,
];
/** Files that look like tests by name and are none. */
const NOT_TESTS =
  /(?:^|\/)(?:package\.json|package-lock\.json|tsconfig[^/]*\.json|Cargo\.toml|go\.mod)$/;

export function isTestFile(path: string): boolean {
  if (NOT_TESTS.test(path)) return false;
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const folders = steps.map((step) => step.toLowerCase());
  if (folders.some((folder) => FOLDERS.has(folder)) || isTestHelper(path)) return true;
  if (!CODE.test(name)) return false;
  if (STEPS.test(path) || NAMES.some((pattern) => pattern.test(name))) return true;
  return folders.some((folder) => CODE_FOLDERS.has(folder));
}

/** Whether a file helps tests without being one, by its folder or its name. */
export function isTestHelper(path: string): boolean {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const folders = steps.map((step) => step.toLowerCase());
  if (folders.some((folder) => FOLDERS.has(folder))) return false;
  return (
    folders.some((folder) => HELPER_FOLDERS.test(folder)) ||
    (HELPER_NAMES.test(name) && CODE.test(name))
  );
}

/** Marks that keep a test, or all other tests, from running. */
const SKIPS = [
  /\b(?:it|test|describe|context|suite|specify|tap|bench|Deno\.test|QUnit\.(?:test|module))\s*\.\s*(?:skip|only|todo|fails|fixme|failing|concurrent\s*\.\s*(?:skip|only)|skipIf|runIf|ignore)\b/g,
  /\b(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext|ftest|pending)\s*\(/g,
  /\b(?:skip|only|todo)\s*:\s*(?!false\b)[^\s,}]/g,
  /\bthis\s*\.\s*skip\s*\(|\b(?:t|ctx|context)\s*\.\s*(?:skip|todo)\s*\(/g,
  /@(?:pytest\s*\.\s*mark\s*\.\s*(?:skip|skipif|xfail)|unittest\s*\.\s*(?:skip\w*|expectedFailure)|skip\w*|Disabled\w*|Ignore|IgnoreIf|Ignored|Nested\s*\(\s*skip|tag\s+:skip)\b/g,
  /\bpytest\s*\.\s*(?:skip|xfail|importorskip|exit)\s*\(|\bself\s*\.\s*skipTest\s*\(|\braise\s+(?:unittest\s*\.\s*)?SkipTest\b|\bcollect_ignore\b|\bpytestmark\b|\b__test__\s*=\s*False\b/g,
  /\b[tbf]\s*\.\s*Skip(?:f|Now)?\s*\(|\btesting\s*\.\s*Short\s*\(|^\s*\/\/\s*(?:go:build|\+build)\b/gm,
  /#\s*\[\s*(?:ignore|cfg_attr\s*\([^\]]*\bignore)\b/g,
  /\b(?:markTestSkipped|markTestIncomplete|XCTSkip\w*|Assert\s*\.\s*(?:Ignore|Inconclusive)|Assume\s*\.\s*\w+|assumeTrue|assumeFalse|assumeThat)\b/g,
  /\[\s*(?:Ignore|Skip|Explicit)\b|\bSkip\s*=\s*"/g,
  /^\s*skip\b/gm,
];

/** How many skip marks a text has. */
export function countSkips(text: string): number {
  return SKIPS.reduce((sum, mark) => sum + (text.match(mark)?.length ?? 0), 0);
}

/** Tests inside a product file. They cannot be restored without the rest of the file. */
const INLINE =
  /^\s*#\s*\[\s*(?:\w+\s*::\s*)*test\b|^\s*#\s*\[\s*(?:rstest|test_case|proptest)\b|^\s*test\s+"|\bimport\.meta\.vitest\b|^\s*>>>\s/gm;
const MAY_HAVE_INLINE = /\.(?:rs|zig|py|[cm]?[jt]sx?)$/;

export function mayHoldTests(path: string): boolean {
  return MAY_HAVE_INLINE.test(path);
}

export function countInlineTests(text: string): number {
  return text.match(INLINE)?.length ?? 0;
}
