{{- define "checkout.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "checkout.selector" -}}
app.kubernetes.io/name: payment-checkout
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "checkout.labels" -}}
{{ include "checkout.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "checkout.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end -}}

{{/* What every pod has: no token, no root, the image's user. With `root` and the `secretKeys` that it gets. */}}
{{- define "checkout.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  - name: secrets
    secret:
      secretName: {{ .root.Values.existingSecret }}
      defaultMode: 0440
      items:
      {{- range .secretKeys }}
        - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end -}}

{{- define "checkout.container" -}}
image: {{ include "checkout.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: NODE_ENV, value: production }
  - { name: PORT, value: "3000" }
  - { name: ADMIN_PORT, value: "9090" }
  {{- range .secretKeys }}
  - { name: {{ . }}_FILE, value: /run/secrets/payment-checkout/{{ . }} }
  {{- end }}
  {{- range $name, $value := .root.Values.env }}
  {{- if $value }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  {{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: secrets, mountPath: /run/secrets/payment-checkout, readOnly: true }
{{- end -}}

{{/* Not two pods of a process on one node or in one zone while there is another. */}}
{{- define "checkout.spread" -}}
{{- $root := index . 0 }}{{ $component := index . 1 }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "checkout.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
  {{- end }}
{{- end -}}
