// Stand-in for a server's process: relays stdin to a local port, and the response to stdout.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('close', () => process.exit());
