import { userInfo } from 'node:os';

/** The home of our user according to the machine's accounts, whatever the environment says. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return homedir.startsWith('/') && homedir !== '/' ? homedir : undefined;
  } catch {
    return undefined; // a uid without an account, as in many containers
  }
}
