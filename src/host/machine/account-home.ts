import { userInfo } from 'node:os';

/** The home of the user that we run as, by the accounts of this machine: no variable changes it. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return homedir.startsWith('/') && homedir !== '/' ? homedir : undefined;
  } catch {
    return undefined; // a user id without an account, as in many containers
  }
}
