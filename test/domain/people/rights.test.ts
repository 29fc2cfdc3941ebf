import { expect } from 'chai';
import { PERMISSIONS } from '../../../src/domain/api/endpoint.ts';
import { may, RIGHTS_OF, ROLES } from '../../../src/domain/people/rights/roles.ts';

describe('the rights of roles', () => {
  it('are all of an owner, and fewer of each other role', () => {
    const owner = new Set<string>(RIGHTS_OF.owner);
    for (const permission of PERMISSIONS) expect(owner).to.include(permission);
    for (const role of ROLES.slice(1)) {
      expect([...owner]).to.include.members([...RIGHTS_OF[role]]);
      expect(RIGHTS_OF[role].length).to.be.lessThan(owner.size);
    }
  });

  it('to write are none of who may only read', () => {
    expect(RIGHTS_OF['read-only'].filter((right) => !right.endsWith(':read'))).to.deep.equal([]);
  });

  it('over people and their log are of owners alone', () => {
    for (const right of ['people:write', 'audit:read'] as const)
      expect(ROLES.filter((role) => may(role, right))).to.deep.equal(['owner']);
  });
});
