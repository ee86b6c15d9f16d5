# The watts of the device on each kind of inputs, while one execution follows another without a pause.
panel = "power"
value = "power_w"
value_low = "NULL"
value_high = "NULL"
unit = "W"
needs = "watts"
finding = list("SELECT printf('%s takes %.0f W on %s, %.0f W on %s', l.name, min(l.power_w), l.inputs, h.power_w, h.inputs) FROM compared l JOIN (SELECT *, max(power_w) FROM compared GROUP BY name) h USING (name) GROUP BY l.name ORDER BY h.power_w - min(l.power_w) DESC LIMIT 1")
load "scripts/input-power/dots.inc"
