/** Runs npm with its chatter kept back: progress while it works, one sentence when it fails. */
import { spawn } from 'node:child_process';

const FIRST_ANSWER_MS = 40_000;
const WHOLE_MS = 15 * 60_000;
const OUTPUT_CHARS_MAX = 200_000;

const UNREACHABLE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EPROTO|\w*CERT_\w*|code E5\d\d|ENOTCACHED/;

/**
 * Resolves with the seconds it took. Otherwise calls `giveUp(problem, remedy)`, which ends the
 * process. Bounded: a registry that does not answer is told from one that is slow to deliver.
 */
export async function runNpm({ cwd, args, label, onStart, giveUp }) {
  const begun = Date.now();
  const { code, output, stopped } = await watchNpm(cwd, args, label, onStart);
  if (code === 'ENOENT') {
    giveUp('npm is not in PATH', 'install npm, then type the same command again');
  } else if (stopped !== '' || UNREACHABLE.test(output)) {
    const why = stopped === '' ? UNREACHABLE.exec(output)[0] : stopped;
    giveUp(
      `The npm registry can't be reached (${why})`,
      'check the network, the proxy and "npm config get registry", then type the same command again',
    );
  } else if (code !== 0) {
    const lines = output.split('\n').filter((line) => /^npm (error|ERR!) (?!code )./.test(line));
    const why = lines.length > 0 ? lines[0].replace(/^npm (error|ERR!) /, '') : `code ${code}`;
    giveUp(`npm failed (${why})`, `type "npm ${args.join(' ')}" here to see all that it says`);
  }
  return Math.round((Date.now() - begun) / 1000);
}

function watchNpm(cwd, args, label, onStart) {
  return new Promise((resolve) => {
    const flags = ['--loglevel=http', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
    const npm = spawn('npm', args.concat(flags, '--no-audit', '--no-fund'), {
      cwd,
      env: systemEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (npm.pid !== undefined) onStart(npm.pid);
    const progress = showProgress(label);
    let output = '';
    let stopped = '';
    const stop = (why) => {
      stopped = why;
      npm.kill('SIGKILL'); // it takes a SIGTERM as a wish while a request is open
    };
    const first = setTimeout(() => stop('no answer in 40 seconds'), FIRST_ANSWER_MS);
    const whole = setTimeout(() => stop('not done in 15 minutes'), WHOLE_MS);
    const read = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
      const answers = String(chunk).split('http fetch GET 200').length - 1;
      if (answers > 0) clearTimeout(first);
      progress.add(answers);
    };
    npm.stdout.on('data', read);
    npm.stderr.on('data', read);
    const end = (code) => {
      clearTimeout(first);
      clearTimeout(whole);
      progress.end();
      resolve({ code, output, stopped });
    };
    npm.on('error', (error) => end(error.code));
    npm.on('close', end);
  });
}

/** On a terminal one line that counts; elsewhere a line at the start and one now and then. */
function showProgress(label) {
  const out = process.stderr;
  const begun = Date.now();
  let answers = 0;
  out.write(`${label} …${out.isTTY ? '' : '\n'}`);
  const timer = setInterval(
    () => {
      const seconds = Math.round((Date.now() - begun) / 1000);
      out.write(
        out.isTTY
          ? `\r${label} … ${seconds} s, ${answers} answers from the registry`
          : `… ${seconds} s, ${answers} answers from the registry\n`,
      );
    },
    out.isTTY ? 1000 : 15_000,
  );
  return {
    add: (count) => (answers += count),
    end: () => {
      clearInterval(timer);
      if (out.isTTY) out.write('\n');
    },
  };
}

/** npm must not run on the very Node that it replaces, so our own `node_modules/.bin` leaves PATH. */
function systemEnv() {
  const path = String(process.env.PATH)
    .split(':')
    .filter((folder) => !/node_modules\/\.bin\/?$/.test(folder));
  return { ...process.env, PATH: path.join(':') };
}
