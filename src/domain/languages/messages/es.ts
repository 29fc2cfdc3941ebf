export const messages = {
  copyFailed: 'Este navegador no copia. Ya está seleccionado: cópielo desde el menú.',
  otherWallet: 'Otro monedero',
  copyCode: 'Copiar el código',
  nothingOpens:
    '¿No se abrió nada? Ningún monedero de este dispositivo responde. Escanee el código o copie el importe y la dirección.',
  sentTitle: 'Enviado. Esperamos a la red',
  sentText:
    'Su monedero ha enviado su pago. Esta página lo mostrará en cuanto lo haga {network}. No lo envíe otra vez, por favor: importe, dirección y código están ocultos.',
  unsent: '¿No se envió? Mostrarlos',
  underpaidMore: 'Envíe {missing} más a la misma dirección antes de {time}: así su pago estará completo.',
  underpaidBack:
    'O no envíe nada más: cuando este pago haya terminado, indique una dirección en su página y {merchant} podrá devolver {back}.',
  offline: 'No tiene conexión. Esta página continúa en cuanto la recupere; un pago ya enviado no se pierde.',
  findTitle: '¿Ya lo envió? Pegue el ID de la transacción',
  findLabel: 'ID de la transacción o un enlace a ella',
  findButton: 'Buscar',
  findBad:
    'No es un ID de transacción de {network}. Cópielo de su monedero o plataforma, donde puede llamarse hash o TxID.',
  findUnknown:
    '{network} no conoce esta transacción. Si acaba de enviarla, inténtelo en un minuto; si no, compruebe que se envió en {network}.',
  findElsewhere:
    '{network} conoce esta transacción, pero paga a otra dirección. Compare la dirección de su monedero con la de esta página.',
  findDropped: 'El monedero sustituyó o canceló esta transacción, así que el dinero no llegó.',
  findSeen: '{network} tiene esta transacción y paga a esta dirección. La página la mostrará en un momento.',
  findCounted: 'Tenemos esta transacción: cuenta para este pago.',
  findUnable:
    'Ahora no podemos preguntar a {network}. No se pierde nada: la página mostrará el pago en cuanto lo veamos.',
  findUnseen:
    'Hemos leído {network} hasta ahora, y esta transacción no ha pagado a esta dirección. Si acaba de enviarla, aparecerá aquí por sí sola; si no, compare la dirección de su monedero con la de esta página.',
  phoneTitle: 'Continuar en el teléfono',
  phoneText: 'Escanéelo con la cámara: abre esta página allí.',
  refundTitle: '¿Adónde debe devolverse el dinero?',
  refundText:
    'El dinero que se le devuelva se envía en {coin} por {network}. Copie la dirección de una billetera propia: lo que se envía a una dirección equivocada se pierde.',
  refundAddress: 'Su dirección de {network} para {coin}',
  refundNext: 'Continuar',
  refundCheck: '¿Es correcto?',
  refundAmount: 'Se devuelve',
  refundForGood:
    'Compárela con su billetera, carácter por carácter. Una vez guardada no se puede cambiar aquí, y lo que se envía a una dirección equivocada se pierde.',
  refundKeep: 'Sí, guardar esta dirección',
  refundChange: 'Cambiarla',
  refundRefused: 'No es una dirección suya en {network}. Copie una de su billetera.',
  refundKnown: 'El dinero que se le devuelva se envía a esta dirección de {network}:',
  refundWrong: '¿Es incorrecta? Póngase en contacto con {merchant}.',
  refundClosedTitle: 'Ahora no se puede indicar una dirección',
  refundClosedText: 'Ya se indicó una, o no se devuelve dinero. No se ha cambiado nada.',
  simulatorTitle: 'Simulador: sin dinero real',
  simulatorText: 'Este es un pago de prueba. Haga de cliente y vea qué ocurre.',
  simulatorPay: 'Pagar el importe exacto',
  simulatorHalf: 'Pagar la mitad',
  simulatorDouble: 'Pagar el doble',
  simulatorReplace: 'Reemplazar la transferencia',
  simulatorExpire: 'Dejar que caduque',
  simulatorSent: 'Transferencia simulada enviada.',
  simulatorReplaced: 'Transferencia reemplazada.',
  simulatorExpired: 'El reloj se adelantó hasta el plazo.',
  simulatorFailed: 'No ha funcionado. Inténtelo de nuevo.',
  simulatorBadTitle: 'Eso no se puede simular',
  simulatorBadText: 'El simulador no lo conoce. No se ha cambiado nada.',
  simulatorOverTitle: 'Eso ya no es posible',
  simulatorOverText: 'El pago ya ha avanzado. No se ha cambiado nada.',
  simulatorBusyTitle: 'El reloj está en uso',
  simulatorBusyText: 'Otra persona está moviendo el reloj de este pago. Inténtelo de nuevo en un momento.',
  missingTitle: 'Página no encontrada',
  missingText: 'Este pago no existe. Compruebe el enlace que le dio el comercio.',
  errorTitle: 'Un momento',
  errorText: 'El pago no se puede mostrar ahora. Esta página lo intentará de nuevo por sí sola.',
  maintenanceTitle: 'Volvemos enseguida',
  maintenanceText:
    'La página de pago está en mantenimiento. No envíe dinero ahora: espere a que esta página, que lo intentará de nuevo por sí sola, muestre el pago.',
  limitedTitle: 'Demasiadas solicitudes',
  limitedText: 'Espere un minuto. Esta página lo intentará de nuevo por sí sola.',
  badMethodTitle: 'Eso no se puede elegir',
  badMethodText: 'Esta moneda no se ofrece en esta red. No se ha cambiado nada.',
  badFormTitle: 'No se pudo leer',
  badFormText: 'Este formulario no es de la página. No se ha cambiado nada.',
  closedTitle: 'La moneda ya no se puede cambiar',
  closedText: 'El dinero ya está en camino o el pago ha terminado. No se ha cambiado nada.',
  toPayment: 'Volver al pago',
};

export const wallet = {
  pay: 'Pagar con el monedero de este navegador',
  payWith: 'Pagar con {wallet}',
  asking: 'Confírmelo en el monedero',
  sent: 'Enviado. Esta página lo mostrará en cuanto lo haga la red.',
  rejected: 'Cancelado en el monedero. No se envió nada.',
  pending: 'El monedero ya tiene una solicitud abierta. Respóndala allí y vuelva a intentarlo aquí.',
  funds: 'El monedero tiene muy poco para este importe y la comisión de la red. No se envió nada.',
  chain: 'El monedero no cambia a {network}. No se envió nada: añada la red allí o escanee el código.',
  failed: 'El monedero no lo confirmó. Compruébelo allí antes de enviar otra vez.',
  unsure:
    'El monedero no dijo si lo envió. Compruébelo allí primero: solo si no se envió nada, recargue esta página para pagar.',
};

export const mails = {
  incompleteSubject: 'Falta una parte de su pago a {merchant}: pedido {order}',
  incompleteTitle: 'Falta una parte de su pago',
  incompleteText: 'Tenemos {amount} de {total} de su pedido en {merchant}.',
};
