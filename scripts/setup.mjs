/**
 * Prepares a checkout: installs the locked packages and Node 24, both inside `node_modules` only.
 * Every command calls it first, so it is quick when nothing is missing. It runs on any Node since
 * 12, so that an old one prints a sentence and not a SyntaxError. For the same reason it imports
 * `fs` as a whole: to import a function that the old `fs` lacks is a SyntaxError too.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdLock } from './setup-lock.mjs';
import { runNpm } from './run-npm.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const bin = join(modules, '.bin');
const node24 = join(bin, 'node');
const nodeWanted = readJson('package.json').devDependencies.node;

/**
 * The path of a Node 24 that was just seen to run, with the locked packages beside it. When that
 * can't be had it says so in one sentence and ends the process with code 1.
 */
export async function setup() {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    giveUp(
      `This checkout needs Node 18 or newer to set itself up and this is ${process.version}`,
      'install a newer Node, then type the same command again',
    );
  }
  if (lackingPackage() !== undefined || !nodeRuns()) {
    const lock = await holdLock(join(root, '.setup-lock'), giveUp);
    process.once('exit', lock.release);
    await installPackages(lock);
    await installNode(lock);
    lock.release();
  }
  return node24;
}

/** The environment for what we start: Node 24 and the locked tools come first in PATH. */
export function toolEnv() {
  return { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
}

async function installPackages(lock) {
  if (lackingPackage() === undefined) return; // another set-up did it while we waited for the lock
  if (fs.existsSync(modules) && fs.lstatSync(modules).isSymbolicLink()) {
    giveUp(
      `node_modules is a link to ${fs.readlinkSync(modules)} and lacks ${lackingPackage()}`,
      'set up the checkout that it belongs to, or remove the link',
    );
  }
  // npm writes this file last: without it, an install that dies half-way is seen by the next one.
  fs.rmSync(join(modules, '.package-lock.json'), { force: true });
  const seconds = await runNpm({
    cwd: root,
    // No install scripts: only `node` has one, and installNode does its work under our eyes.
    args: ['ci', '--ignore-scripts', '--include=dev', '--include=optional'],
    label: 'Installing dependencies (first time, about a minute)',
    onStart: lock.alsoHeldBy,
    giveUp,
  });
  const lacking = lackingPackage();
  if (lacking !== undefined) {
    giveUp(
      `npm finished, yet node_modules lacks ${lacking}`,
      'see whether your registry has it for this machine, then type the same command again',
    );
  }
  process.stderr.write(`Dependencies installed in ${seconds} s.\n`);
}

/**
 * The package `node` is a shell whose install script fetches the package with the binary for this
 * machine. Because npm may skip install scripts, we fetch that package by name and install its binary.
 */
async function installNode(lock) {
  if (nodeRuns()) return;
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${arch}`;
  const aside = join(modules, '.node-download');
  fs.rmSync(aside, { recursive: true, force: true });
  fs.mkdirSync(aside);
  const seconds = await runNpm({
    cwd: root,
    args: [
      'install',
      '--prefix',
      aside,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
    ].concat(`${name}@${nodeWanted}`),
    label: `Fetching Node ${nodeWanted} (it stays in node_modules)`,
    onStart: lock.alsoHeldBy,
    giveUp,
  });
  fs.mkdirSync(join(modules, 'node', 'bin'), { recursive: true });
  fs.renameSync(
    join(aside, 'node_modules', name, 'bin', 'node'),
    join(modules, 'node', 'bin', 'node'),
  );
  fs.rmSync(aside, { recursive: true, force: true });
  fs.rmSync(node24, { force: true });
  fs.symlinkSync(join('..', 'node', 'bin', 'node'), node24);
  if (!nodeRuns()) {
    giveUp(
      `Node ${nodeWanted} was fetched (${name}) and does not run on this machine`,
      `see what "${node24} --version" says`,
    );
  }
  process.stderr.write(`Node ${nodeWanted} is in place after ${seconds} s.\n`);
}

function nodeRuns() {
  const { status, stdout } = spawnSync(node24, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() === `v${nodeWanted}`;
}

/** The first package that is locked for this machine and not installed as locked, or undefined. */
function lackingPackage() {
  const record = join(modules, '.package-lock.json');
  if (!fs.existsSync(record)) return 'its record of what is installed';
  const installed = readJson('node_modules/.package-lock.json').packages;
  const locked = readJson('package-lock.json').packages;
  const wanted = Object.keys(locked).filter((path) => path !== '' && isFor(locked[path]));
  const lacking = wanted.find((path) => {
    const there = installed[path];
    return (
      there === undefined ||
      there.version !== locked[path].version ||
      !fs.existsSync(join(root, path, 'package.json'))
    );
  });
  const surplus = Object.keys(installed).find((path) => locked[path] === undefined);
  return lacking || (surplus && `a clean state: ${surplus} is not locked`);
}

/** Optional packages are builds for one kind of machine each; npm skips a missing one in silence. */
function isFor({ optional, os, cpu, libc }) {
  if (!optional) return true;
  if (os === undefined || cpu === undefined) return false;
  const thisLibc = fs.existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
  return (
    os.includes(process.platform) &&
    cpu.includes(process.arch) &&
    (libc === undefined || libc.includes(thisLibc))
  );
}

function readJson(path) {
  return JSON.parse(fs.readFileSync(join(root, path), 'utf8'));
}

function giveUp(problem, remedy) {
  process.stderr.write(`${problem}: ${remedy}.\n`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void setup();
