import { expect } from 'chai';
import { ENCODED_TOO_LONG, encodeUrl, urlFault } from '../../../src/platform/values/urls.ts';

const publicDelivery = (url: string) => urlFault(url, { allowPrivate: false, forDelivery: true });
const privateDelivery = (url: string) => urlFault(url, { allowPrivate: true, forDelivery: true });
const publicRedirect = (url: string) => urlFault(url, { allowPrivate: false, forDelivery: false });
const privateRedirect = (url: string) => urlFault(url, { allowPrivate: true, forDelivery: false });
const everyUse = [publicDelivery, privateDelivery, publicRedirect, privateRedirect];

describe('a URL from a merchant', () => {
  it('is accepted when it is an ordinary https URL', () => {
    const urls = [
      'https://merchant.example/hooks?a=b&c=%20#part',
      'https://sub.merchant.example:8443/',
      'HTTPS://MERCHANT.EXAMPLE',
      'https://merchant.example.',
      'https://bücher.example/ü',
      'https://8.8.8.8/',
      'https://[2606:4700:4700::1111]:8443/',
      'https://merchant.example/a@b?c=d@e',
    ];
    for (const url of urls) for (const fault of everyUse) expect(fault(url), url).to.equal(null);
  });

  it('with characters beyond ASCII is accepted however often the check has run', () => {
    const url = 'https://bücher.example/ü';
    // V8 optimises the check on the way: 20,000 calls are four times what was needed to see it.
    for (let call = 0; call < 20_000; call += 1) publicDelivery('https://merchant.example/hooks');
    let refused = 0;
    for (let call = 0; call < 20_000; call += 1) if (publicDelivery(url) !== null) refused += 1;
    expect(refused).to.equal(0);
  });

  it('may use http only where private networks are allowed', () => {
    const url = 'http://merchant.example/hooks';
    expect(publicDelivery(url)).to.equal('must begin with https://');
    expect(publicRedirect(url)).to.equal('must begin with https://');
    expect(privateDelivery(url)).to.equal(null);
    expect(privateRedirect(url)).to.equal(null);
  });

  it('is refused with any other scheme, and when it is not absolute', () => {
    const urls = [
      'javascript:alert(1)',
      'JavaScript://merchant.example/%0aalert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://merchant.example/',
      'ws://merchant.example/',
      'gopher://merchant.example/',
      'blob:https://merchant.example/1',
      'view-source:https://merchant.example/',
      '//merchant.example/',
      '/hooks',
      'merchant.example',
      'https:merchant.example',
      'https:/merchant.example',
      'https:///merchant.example',
      'https://',
      'https://?a',
      'https',
      '',
    ];
    for (const url of urls)
      for (const fault of everyUse) expect(fault(url), url).to.match(/^must be an absolute URL/);
  });

  it('is refused with credentials, empty ones included', () => {
    const urls = [
      'https://user:secret@merchant.example/',
      'https://user@merchant.example/',
      'https://@merchant.example/',
      'https://:@merchant.example/',
    ];
    for (const url of urls)
      for (const fault of everyUse)
        expect(fault(url), url).to.equal('must not contain a user name or a password');
  });

  it('is refused with white space, control or invisible characters or backslashes, which URL parsers drop or turn', () => {
    const characters = [
      ' ',
      '\t',
      '\n',
      '\r',
      '\0',
      '\u001f',
      '\u007f',
      '\u0085',
      '\u00a0',
      '\u00ad',
      '\u200b',
      '\u2028',
      '\u202e',
      '\ufeff',
      '\ud800',
      '\\',
    ];
    for (const character of characters)
      for (const url of [
        `https://merchant.exa${character}mple/`,
        `${character}https://merchant.example/`,
        `https://merchant.example/a${character}`,
      ])
        for (const fault of everyUse)
          expect(fault(url), JSON.stringify(url)).to.match(/^must not contain white space/);
  });

  it('is refused when it is longer than 2048 characters, or than 2048 bytes once percent-encoded', () => {
    const url = (length: number, character = 'a') =>
      'https://merchant.example/'.padEnd(25 + (length - 25) * character.length, character);
    // Each of these characters is 12 bytes encoded: 168 of them and the first 25 bytes make 2041.
    for (const fault of everyUse) {
      expect(fault(url(2048))).to.equal(null);
      expect(fault(url(2049))).to.equal('must be at most 2048 characters long');
      expect(fault(url(2049, '😀'))).to.equal('must be at most 2048 characters long');
      expect(fault(url(25 + 168, '😀'))).to.equal(null);
      expect(fault(url(25 + 169, '😀'))).to.equal(ENCODED_TOO_LONG);
    }
  });

  it('is stored percent-encoded', () => {
    expect(encodeUrl('https://Bücher.example/ü?q=日#ß')).to.equal(
      'https://xn--bcher-kva.example/%C3%BC?q=%E6%97%A5#%C3%9F',
    );
  });

  it('is refused when no URL parser takes it', () => {
    for (const url of [
      'https://merchant.example:99999/',
      'https://[::1',
      'https://[fe80::1%25eth0]/',
      'https://a b',
      'https://1.2.3.4.5/',
      'https://%00/',
    ])
      for (const fault of everyUse) expect(fault(url), url).to.match(/^must /);
  });
});

describe('a URL that webhooks are delivered to', () => {
  const PRIVATE_ADDRESSES = [
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://255.255.255.255/',
    'https://224.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
  ];
  for (const url of PRIVATE_ADDRESSES)
    it(`is refused when it is ${url}`, () => {
      expect(publicDelivery(url)).to.equal('must not point to a private or reserved address');
      expect(publicRedirect(url), 'a browser may go anywhere').to.equal(null);
    });

  it('is refused when its host is a name of a private network', () => {
    const hosts = [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'localhost。',
      'a.localhost',
      'printer.local',
      'metadata.google.internal',
      'metadata.google.internal.',
      'redis',
      'nas.home.arpa',
      'x.localdomain',
    ];
    for (const host of hosts)
      expect(publicDelivery(`https://${host}/`), host).to.equal(
        'must not point to a host of a private network',
      );
    for (const host of ['mylocalhost.example', 'local.example', 'notinternal.example'])
      expect(publicDelivery(`https://${host}/`), host).to.equal(null);
  });

  it('may point to loopback, private networks and short names where those are allowed', () => {
    const urls = [
      'http://localhost:4000/hooks',
      'http://127.0.0.1:4000',
      'http://[::1]:4000',
      'http://10.0.0.7',
      'http://merchant:8080/',
      'https://shop.internal/',
    ];
    for (const url of urls) expect(privateDelivery(url), url).to.equal(null);
  });

  it('may point to a metadata service nowhere', () => {
    for (const url of ['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://0xa83f8110/'])
      expect(privateDelivery(url), url).to.equal('must not point to a private or reserved address');
  });

  it('uses port 80, 443, or 1024 and above, everywhere', () => {
    for (const port of [0, 22, 25, 1023]) {
      expect(publicDelivery(`https://merchant.example:${port}/`)).to.equal(
        'must use port 80, 443, or 1024 and above',
      );
      expect(privateDelivery(`http://localhost:${port}/`)).to.equal(
        'must use port 80, 443, or 1024 and above',
      );
      expect(publicRedirect(`https://merchant.example:${port}/`)).to.equal(null);
    }
    for (const port of [80, 443, 1024, 65_535])
      expect(publicDelivery(`https://merchant.example:${port}/`)).to.equal(null);
  });

  it('has a host name that DNS could hold', () => {
    for (const host of [
      'a..b.example',
      '.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(127)}example`,
    ])
      for (const fault of [publicDelivery, privateDelivery])
        expect(fault(`https://${host}/`), host).to.equal('must contain a valid host name');
  });
});
