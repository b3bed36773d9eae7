/** The gateway processes of an owner. */
import { gatewayProgram } from '../../src/execution/model-gateway/gateway-program.ts';
import type { ProcessBounds } from '../../src/gateway/process/gateway-process.ts';
import { GatewayProcesses } from '../../src/gateway/process/gateway-processes.ts';
import { findCgroups } from '../../src/host/process/cgroup.ts';
import { processScopedName } from '../../src/host/files/process-scoped-name.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';

export function testGateways(name: string, bounds: Partial<ProcessBounds> = {}): GatewayProcesses {
  return new GatewayProcesses({
    clock: systemClock,
    node: process.execPath,
    main: gatewayProgram,
    tagOf: (nth) => `test-${process.pid}-${name}/gateway/${nth}`,
    env: {},
    bounds,
    groups: {
      where: findCgroups(),
      nameOf: (nth) => processScopedName('supervisor-test-', `${name}-${nth}`),
    },
  });
}
