import type { SteeringFiles } from '../../src/host/files/steering-box.ts';
import { STEERING_FILES } from '../../src/host/files/steering-box.ts';

/** The writes of a process that dies at the nth of them: before it, or right after it. */
export function crashingFiles(nth: number, when: 'before' | 'after'): SteeringFiles {
  let count = 0;
  const dying =
    <Args extends readonly unknown[]>(write: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      count += 1;
      if (count > nth) throw new Error('the process is dead');
      if (count === nth && when === 'before') throw new Error('the process dies');
      await write(...args);
      if (count === nth) throw new Error('the process dies');
    };
  return {
    create: dying(STEERING_FILES.create),
    link: dying(STEERING_FILES.link),
    rename: dying(STEERING_FILES.rename),
    remove: dying(STEERING_FILES.remove),
  };
}

/** Each place at which a process can die, if it writes `writes` times. */
export function crashes(writes: number): readonly [nth: number, when: 'before' | 'after'][] {
  return Array.from({ length: writes }, (_, at) => at + 1).flatMap(
    (nth): [number, 'before' | 'after'][] => [
      [nth, 'before'],
      [nth, 'after'],
    ],
  );
}
