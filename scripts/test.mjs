/**
 * `npm test [-- FILE|FOLDER|flag of node --test …]`. Tests beside the code share two processes, for
 * speed. Each file under test/ gets its own process, because it kills processes or is killed. Prints
 * failures and skips; `--verbose` prints every test. Slow files (`*.slow.test.ts`) and real components
 * need `--all`; the long tests need `--full`.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { provenFiles, writeResults } from './bare-results.mjs';
import { root, setup, toolEnv } from './setup.mjs';

const FLAGS_WITH_VALUE = ['--test-name-pattern', '--test-skip-pattern', '--test-timeout'];
/** It chooses the sample of a long table of cases: `test/support/sample.ts`. */
const sampleSeed = process.env.TEST_SAMPLE_SEED || String(Math.floor(Math.random() * 1000));
const inCi = Boolean(process.env.CI);
/** Processes that tests start load in a third of the time, and with half of the memory. */
const compiled = join(root, 'node_modules/.cache/compiled');
// A test file takes a minute or two on a busy machine. The long tests are long on purpose.
const FILE_BOUND_S = 600;
const LONG_FILE_BOUND_S = 4 * 3600;
/** These wait for minutes and need no processor meanwhile. They run beside the others and take the place of none. */
const WAITING = [join('test', 'real', 'slow-answers.test.ts')];
/** How many of the slowest files are named at the end of a part: where to look when tests get slow. */
const SLOWEST = 24;

function parseArgs(args) {
  const options = { all: false, full: false, verbose: false, paths: [], flags: [] };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index];
    if (arg === '--full') options.full = true;
    else if (arg === '--all') options.all = true;
    else if (arg === '--verbose') options.verbose = true;
    else if (FLAGS_WITH_VALUE.includes(arg)) options.flags.push(`${arg}=${args[(index += 1)]}`);
    else if (arg.startsWith('-')) options.flags.push(arg);
    else options.paths.push(relative(root, resolve(arg)));
  }
  return options;
}

function testFiles(folder) {
  if (!fs.existsSync(join(root, folder))) return [];
  return fs
    .readdirSync(join(root, folder))
    .filter((name) => name !== 'node_modules')
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => {
      if (fs.statSync(join(root, path)).isDirectory()) return testFiles(path);
      return path.endsWith('.test.ts') ? [path] : [];
    });
}

const within = (folder) => (path) => path === folder || path.startsWith(folder + sep);

const isSlow = (file) => file.endsWith('.slow.test.ts');

/** The parts to run: each a name, its files and how they share processes. */
function selectParts({ all, full, paths }) {
  const every = [...testFiles('src'), ...testFiles('web'), ...testFiles('test')];
  const proven = provenFiles(process.env.TEST_BARE_RESULTS, root, every);
  if (proven.length > 0)
    console.log(`– left out: ${proven.length} files that need no tool, green on a bare machine`);
  const files = every.filter((file) => !proven.includes(file));
  const named = (file) => paths.some((path) => within(path)(file));
  const chosen = paths.length === 0 ? files : files.filter(named);
  const real = chosen.filter(within('test/real'));
  const long = chosen.filter(within('test/full'));
  const rest = chosen.filter(within('test')).filter((file) => ![...real, ...long].includes(file));
  const apart = ['--test-concurrency=2'];
  const isAll = all || full || paths.length > 0;
  const isFull = full || paths.length > 0;
  return [
    {
      name: 'beside the code',
      files: [...chosen.filter(within('src')), ...chosen.filter(within('web'))],
      how: ['--test-isolation=none'],
      deal: inTwoShares,
    },
    { name: 'whole processes', files: rest.filter((file) => !isSlow(file)), how: apart },
    { name: 'slow files', files: rest.filter(isSlow), how: apart, isLeftOut: !isAll },
    {
      name: 'real components',
      files: real,
      how: apart,
      deal: besideTheWaiting,
      isLeftOut: !isAll,
    },
    // One at a time: they measure, and they load the machine.
    {
      name: 'the long ones',
      files: isFull ? long : [],
      how: ['--test-concurrency=1'],
      boundS: LONG_FILE_BOUND_S,
    },
  ].filter((part) => part.files.length > 0);
}

/** Dealt out in turn, because neighbours take about the same time. */
const inTwoShares = (files) =>
  [0, 1].map((share) => files.filter((_, index) => index % 2 === share));

/** Two runners: one for the files that only wait, and one for all others. */
const besideTheWaiting = (files) => [
  files.filter((file) => WAITING.includes(file)),
  files.filter((file) => !WAITING.includes(file)),
];

/** Runs the files of a part, in several runners at once if the part deals them out, and prints the result. */
async function runPart(node24, { name, files, deal = (all) => [all], ...rest }, options, scratch) {
  const begun = Date.now();
  const shares = deal(files).filter((share) => share.length > 0);
  const tallies = await Promise.all(
    shares.map((share, index) =>
      runFiles(node24, { ...rest, files: share }, options, join(scratch, `tally-${index}.json`)),
    ),
  );
  const tally = {
    passed: tallies.reduce((total, one) => total + one.passed, 0),
    failed: tallies.reduce((total, one) => total + one.failed, 0),
    skipped: tallies.flatMap((one) => one.skipped),
    overdue: tallies.flatMap((one) => one.overdue),
    took: tallies.flatMap((one) => one.took),
  };
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const mark = tally.failed + tally.overdue.length === 0 ? '✔' : '✖';
  console.log(`${mark} ${name}: ${tally.passed} passed in ${seconds} s`);
  if (tally.took.length > SLOWEST)
    console.log(
      `  longest: ${tally.took.toSorted(bySeconds).slice(0, SLOWEST).map(sayFile).join(', ')}`,
    );
  return tally;
}

/** Returns the counts of one runner. A runner that died before its summary counts as one failure. */
function runFiles(node24, { files, how, boundS = FILE_BOUND_S }, options, tallyFile) {
  const { flags, verbose } = options;
  const args = [
    '--disable-warning=ExperimentalWarning',
    '--test',
    ...how,
    `--test-reporter=${verbose ? 'spec' : './scripts/report-failures.mjs'}`,
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/report-tally.mjs',
    `--test-reporter-destination=${tallyFile}`,
    `--test-timeout=${(boundS / 2) * 1000}`,
    ...flags,
    ...files,
  ];
  return new Promise((done) => {
    const runner = spawn(node24, args, {
      cwd: root,
      env: {
        NODE_COMPILE_CACHE: compiled,
        // Most tests need no copy of the project. Those that do unset it.
        SUPERVISOR_SCRIPTED_IN_PROJECT: '1',
        ...toolEnv(),
        TEST_FILE_BOUND_S: String(boundS),
        TEST_SAMPLE_SEED: playsAll(options) ? undefined : sampleSeed,
        // They are about these files, not about those of a test that runs `npm test` itself.
        TEST_BARE_RESULTS: undefined,
        TEST_WRITE_RESULTS: undefined,
      },
      stdio: 'inherit',
    });
    runner.on('close', (code, signal) => {
      const tally = readTally(tallyFile);
      const isCounted = tally !== undefined && tally.failed + tally.overdue.length > 0;
      if (tally === undefined || (code !== 0 && !isCounted)) {
        console.log(`✖ the test runner itself ended with ${signal === null ? code : signal}`);
        done({ passed: 0, skipped: [], overdue: [], took: [], ...tally, failed: 1 });
        return;
      }
      done(tally);
    });
  });
}

/** A file that is named plays all of its cases, as `--full` does. A seed that is set chooses a sample even there. */
const playsAll = ({ full, paths }) =>
  (full || paths.length > 0) && process.env.TEST_SAMPLE_SEED === undefined;

const bySeconds = (a, b) => b.seconds - a.seconds;
const sayFile = ({ file, seconds }) => `${relative(root, file)} ${seconds.toFixed(0)} s`;

function readTally(file) {
  if (!fs.existsSync(file)) return undefined;
  const text = fs.readFileSync(file, 'utf8');
  fs.rmSync(file);
  return text === '' ? undefined : JSON.parse(text);
}

async function test() {
  const options = parseArgs(process.argv.slice(2));
  const node24 = await setup();
  const parts = selectParts(options);
  if (parts.length === 0) {
    console.error(
      `No test here matches ${options.paths.join(' ')}: name a *.test.ts file or a folder.`,
    );
    process.exitCode = 2;
    return;
  }
  if (!playsAll(options))
    console.log(
      `– long tables are sampled: TEST_SAMPLE_SEED=${sampleSeed}; npm run test:full plays all`,
    );
  // Ctrl-C reaches the runner from the terminal. We stay to count the tests that it completed.
  process.on('SIGINT', () => {});
  const scratch = fs.mkdtempSync(join(tmpdir(), 'supervisor-test-'));
  process.once('exit', () => fs.rmSync(scratch, { recursive: true, force: true }));
  const tallies = [];
  for (const part of parts.filter(({ isLeftOut }) => !isLeftOut)) {
    const tally = await runPart(node24, part, options, scratch);
    tallies.push(tally);
    if (tally.overdue.length === 0) continue;
    // The machine may cause a hang, such as a stuck container engine: run it once more, alone. A second hang fails.
    const again = { name: 'once more, alone', files: tally.overdue, how: ['--test-concurrency=1'] };
    const second = await runPart(node24, again, options, scratch);
    tallies.push({ ...second, failed: second.failed + second.overdue.length });
  }
  const sum = (count) => tallies.reduce((total, tally) => total + count(tally), 0);
  const skipped = tallies.flatMap((tally) => tally.skipped);
  // A skip is red in CI, because nothing else would notice it. Elsewhere a machine may lack a tool.
  const redSkips = inCi
    ? skipped.filter(({ file }) => within('test/real')(relative(root, file)))
    : [];
  for (const skip of skipped) {
    const mark = redSkips.includes(skip) ? '✖ skipped, which is red in CI' : '– skipped';
    console.log(`${mark}: ${relative(root, skip.file)}: ${skip.name}: ${skip.reason}`);
  }
  for (const { name, files } of parts.filter(({ isLeftOut }) => isLeftOut))
    console.log(`– left out: ${name}, ${files.length} files; npm run test:all runs them`);
  const failed = sum((tally) => tally.failed) + redSkips.length;
  const ending = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  console.log(`${sum((tally) => tally.passed)} passed, ${failed} failed${ending}`);
  process.exitCode = failed === 0 ? 0 : 1;
  const results = process.env.TEST_WRITE_RESULTS;
  if (results !== undefined) {
    const ran = parts.filter(({ isLeftOut }) => !isLeftOut).flatMap(({ files }) => files);
    const skippedFiles = skipped.map(({ file }) => relative(root, file));
    writeResults(results, failed === 0 ? ran : [], skippedFiles);
  }
}

void test();
