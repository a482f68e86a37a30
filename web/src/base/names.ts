// Names of bodies and their members as people read them.
import type { Header } from '../data/header';

export function memberName(header: Header, body: number, member: number): string {
  const spec = header.bodies[body];
  if (!spec) return header.fixed?.names[member] || 'fixed world';
  return spec.names[member] || (spec.members > 1 ? `${spec.name} ${member}` : spec.name);
}
