/**
 * Allows one set-up at a time in a checkout. The lock is a folder with one empty file for each
 * process that holds it, named after that process. A process takes the lock by renaming a filled
 * folder into its place, which fails while the folder there is not empty. Any process may remove
 * the file of a dead holder. The name shows whose file it is, so a living holder keeps its file.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const WAIT_MS = 10 * 60_000;
const POLL_MS = 200;

/**
 * Waits for the lock. `alsoHeldBy(pid)` keeps it shut while that process lives, even when we do
 * not: an npm that outlives us is still writing. Calls `giveUp` when the wait is too long.
 */
export async function holdLock(folder, giveUp) {
  const begun = Date.now();
  let hasReported = false;
  while (!take(folder)) {
    const alive = holders(folder).filter((name) => isAlive(name) || !remove(join(folder, name)));
    if (alive.length === 0) continue;
    if (!hasReported) {
      const [pid] = alive[0].split('-');
      process.stderr.write(`Another set-up is at work here (process ${pid}); waiting for it …\n`);
      hasReported = true;
    }
    if (Date.now() - begun > WAIT_MS) {
      giveUp(
        'Another set-up of this checkout has not ended in ten minutes',
        `end it, or remove ${folder} if there is none, then type the same command again`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const ownNames = [nameProcess(process.pid)];
  return {
    alsoHeldBy: (pid) => {
      ownNames.push(nameProcess(pid));
      fs.writeFileSync(join(folder, nameProcess(pid)), '');
    },
    release: () => {
      for (const name of ownNames) remove(join(folder, name));
      try {
        fs.rmdirSync(folder);
      } catch {
        // The next holder may already be in: an empty folder is a free lock, so nothing is lost.
      }
    },
  };
}

function take(folder) {
  const filled = `${folder}-${process.pid}`;
  fs.mkdirSync(filled, { recursive: true });
  fs.writeFileSync(join(filled, nameProcess(process.pid)), '');
  try {
    fs.renameSync(filled, folder);
    return true;
  } catch (error) {
    fs.rmSync(filled, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

function holders(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // released since we looked
  }
}

function remove(file) {
  fs.rmSync(file, { force: true });
  return true;
}

function nameProcess(pid) {
  return `${pid}-${readStartTime(pid)}`;
}

function isAlive(name) {
  const pid = Number(name.split('-')[0]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return nameProcess(pid) === name;
}

/** Tells a process from a later one with the same number; where there is no /proc, the number has to do. */
function readStartTime(pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ');
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return 'unknown';
  }
}
