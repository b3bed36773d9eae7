/**
 * `complete-lock.mjs LOCKFILE`: names in a lock the builds for other machines that a partial
 * registry did not offer. Without them `npm ci` calls the lock out of date, here and everywhere.
 * They get no checksum: npm takes one from the registry when such a machine installs them. So this is for
 * tools of development; test/lock-files.test.ts refuses a production package without a checksum.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const MACHINE =
  /[-/](android|darwin|freebsd|linux|openharmony|win32|windows)-(arm64|x64|arm|ppc64|riscv64|s390x|ia32|loong64)(?=-|$)/;

function parseMachine(name) {
  if (name.endsWith('-wasm32-wasi')) return { cpu: ['wasm32'] };
  const found = MACHINE.exec(name) ?? giveUp(`${name} does not say for which machine it is`);
  const [, os, cpu] = found;
  const libc = /-musl/.test(name) ? ['musl'] : /-gnu/.test(name) ? ['glibc'] : undefined;
  return {
    cpu: [cpu],
    ...(os === 'linux' && libc !== undefined && { libc }),
    os: [os === 'windows' ? 'win32' : os],
  };
}

function giveUp(problem) {
  process.stderr.write(`${problem}.\n`);
  process.exit(1);
}

const file = process.argv[2] ?? giveUp('Name the lock file');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = {};
for (const [owner, { dev, optionalDependencies }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    // Beside its owner: two versions of one package have two sets of builds.
    const path = `${owner.slice(0, owner.lastIndexOf('node_modules/'))}node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    if (lock.packages[`node_modules/${name}`]?.version === version) continue;
    added[path] = { version, optional: true, ...(dev && { dev }), ...parseMachine(name) };
  }
}
const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) =>
  a < b ? -1 : 1,
);
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`,
);
console.log(`${Object.keys(added).length} added`);
