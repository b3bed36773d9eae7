#!/usr/bin/env node
// The entry point of the package. Every Node since 12 can parse it, so that an old one prints what to run
// instead of a SyntaxError. Only then is the program itself loaded.
import { existsSync, mkdirSync, readFileSync } from 'fs';
import { homedir } from 'os';
import { join } from 'path';
import { fileURLToPath } from 'url';

const here = fileURLToPath(new URL('./', import.meta.url));
const args = process.argv.slice(2);

function quoted(arg) {
  return /^[\w./:=@%+,-]+$/.test(arg) ? arg : "'" + arg.replace(/'/g, "'\\''") + "'";
}

/** node:sqlite warns that it is experimental. The warning does not help users, and our tests cover this version. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    emitWarning.call(process, warning, ...rest);
  };
}

/** Caches compiled code for the next start, in the user's own cache folder and not in a shared /tmp. */
function enableCompileCache(module) {
  const named = process.env.NODE_COMPILE_CACHE;
  const folder = named || makeCacheFolder();
  if (folder !== undefined) module.enableCompileCache(folder);
}

/**
 * Undefined if the user has no home, as in a container, or one that can't be written to. Node would create the
 * folder itself, but below /proc its attempt never ends.
 */
function makeCacheFolder() {
  try {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const folder = join(cache, 'agent-supervisor');
    for (const one of [cache, folder]) if (!existsSync(one)) mkdirSync(one, { mode: 0o700 });
    return folder;
  } catch {
    return undefined;
  }
}

if (Number(process.versions.node.split('.')[0]) < 24) {
  // The package `node` installs its binary with an install script, which some users disable.
  const scripts =
    process.env.npm_config_ignore_scripts === 'true' ? ['--ignore-scripts=false'] : [];
  // The package itself is in no registry that npx could ask, so this file is what the new Node gets.
  const own = fileURLToPath(import.meta.url);
  const command = ['npx'].concat(scripts, ['-p', 'node@24', 'node', own], args);
  process.stderr.write(
    'supervisor needs Node 24 or newer and this is Node ' +
      process.versions.node +
      '; type: ' +
      command.map(quoted).join(' ') +
      '\n',
  );
  process.exitCode = 1;
} else if (args.length === 1 && args[0] === '--version') {
  const { version } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
  process.stdout.write(version + '\n');
} else {
  silenceSqliteWarning();
  // A checkout has the sources, which are never stale. The published package has only dist/.
  const source = join(here, '..', 'src', 'cli', 'main.ts');
  const main = existsSync(source) ? '../src/cli/main.ts' : '../dist/cli/main.js';
  void import('module').then((module) => {
    enableCompileCache(module);
    return import(main);
  });
}
