import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';

/** The home of our user according to the machine's accounts, whatever the environment says. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return homedir.startsWith('/') && homedir !== '/' ? homedir : undefined;
  } catch {
    return undefined; // a uid without an account, as in many containers
  }
}

/** The name of our user according to the machine's accounts. Without an account, the number of the user. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`; // a uid without an account, as in many containers
  }
}

/**
 * The user's home as an absolute path: `$HOME`, or else that of the account. Refuses if there is neither, as for a
 * container that runs with `--user 1234`.
 */
export function userHomeFolder(): string {
  try {
    return resolve(homedir());
  } catch (error) {
    throw new Refusal(
      {
        code: 'usage.invalid',
        message: `You have no home folder: HOME is not set, and this machine has no account for user id ${process.getuid?.() ?? 'unknown'}.`,
        hint: 'Set HOME to a folder that you can write to, such as: export HOME=/tmp/home',
      },
      { cause: error },
    );
  }
}
